import type { z } from 'zod';
import { didYouMean } from '../../raster/expression/nearest-name.ts';
import type { JsonPath } from './json-text.ts';
import { pipelineSchema } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** A fault of a file's shape: where it is, whether the member's name or its value is wrong, and what it is. */
export interface ShapeProblem {
  readonly path: JsonPath;
  readonly at: 'name' | 'value';
  readonly message: string;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list in []',
  object: 'an object in {}',
  record: 'an object in {}',
};

/** What a value is, as a message calls it. */
const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value);
};

export const valueAt = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? new Map<unknown, unknown>(Object.entries(inner)).get(`${step}`)
        : undefined,
    value,
  );

/** Names that may stand where an unknown one does. */
const namesAt = (path: JsonPath): string[] => {
  const { bands, outputs } = pipelineSchema.shape;
  const schema =
    path[0] === 'bands' ? bands.valueType : path[0] === 'outputs' ? outputs.unwrap().element : pipelineSchema;
  return Object.keys(schema.shape).filter((name) => name !== '$schema');
};

/** The faults that an issue of the schema reports about a value. */
export const describeIssue = (issue: Issue, file: unknown): ShapeProblem[] => {
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  const value = valueAt(file, path);
  const name = path.at(-1);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const names = namesAt(path);
      return issue.keys.map((key) => ({
        path: [...path, key],
        at: 'name',
        message: `unknown field${didYouMean(key, names) || ` (known: ${names.join(', ')})`}`,
      }));
    }
    case 'invalid_type': {
      if (value !== undefined) {
        const wanted = KINDS[issue.expected] ?? issue.expected;
        return [{ path, at: 'value', message: `must be ${wanted}, not ${kindOf(value)}` }];
      }
      return [{ path, at: 'value', message: path.length === 0 ? 'the file is empty' : `"${name}" is missing` }];
    }
    case 'invalid_value': {
      const choices = issue.values.map(String);
      const near = typeof value === 'string' ? didYouMean(value, choices) : '';
      const list = choices.map((choice) => `"${choice}"`).join(', ');
      const wanted = choices.length === 1 ? list : `one of ${list}`;
      return [{ path, at: 'value', message: `must be ${wanted}, not ${kindOf(value)}${near}` }];
    }
    case 'invalid_key':
      return [{ path, at: 'name', message: issue.issues[0]?.message ?? issue.message }];
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return [{ path, at: 'value', message: boundText(issue) }];
    case 'invalid_union':
    case 'invalid_format':
    case 'invalid_element':
    case 'custom':
      break;
  }
  return [{ path, at: 'value', message: issue.message }];
};

const boundText = (issue: Extract<Issue, { code: 'too_small' | 'too_big' | 'not_multiple_of' }>): string => {
  if (!issue.message.startsWith('Too ') && !issue.message.startsWith('Invalid ')) return issue.message;
  if (issue.code === 'not_multiple_of') return `must be a multiple of ${issue.divisor}`;
  const size = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' items' : '';
  return issue.code === 'too_small'
    ? `must be at least ${issue.minimum}${size}`
    : `must be at most ${issue.maximum}${size}`;
};
