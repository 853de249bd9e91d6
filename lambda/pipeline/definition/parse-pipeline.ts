import { meaningProblems } from './checks.ts';
import { describeIssue } from './describe-issue.ts';
import type { ShapeProblem } from './describe-issue.ts';
import { readJsonText } from './json-text.ts';
import type { JsonPath, JsonText } from './json-text.ts';
import { normalise } from './normalise.ts';
import { PipelineFileError } from './pipeline-file-error.ts';
import type { PipelineProblem } from './pipeline-file-error.ts';
import type { Pipeline } from './pipeline.ts';
import { repaired } from './repair.ts';
import { pipelineSchema } from './schema.ts';

/** `outputs[0].expression` */
const pathText = (path: JsonPath): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');

/** How a place in a file is found from the way to a value. */
type Locator = Pick<JsonText, 'locate' | 'locateName'>;

const shapeProblem = ({ path, at, message }: ShapeProblem, locator: Locator): PipelineProblem => ({
  ...(at === 'name' ? locator.locateName(path) : locator.locate(path)),
  path: pathText(path),
  message,
});

/**
 * The pipeline that a value read from a file means.
 *
 * @param known faults that were found before.
 * @throws PipelineFileError with every fault of shape and meaning.
 */
export const pipelineOf = (
  value: unknown,
  fileName: string,
  locator: Locator,
  known: readonly PipelineProblem[] = [],
): Pipeline => {
  const result = pipelineSchema.safeParse(value);
  const shape = (result.error?.issues ?? []).flatMap((issue) => describeIssue(issue, value));
  const checked = result.success ? { file: result.data, damaged: new Set<string>() } : repaired(value, shape);
  const meaning = checked === null ? [] : meaningProblems(checked.file, checked.damaged);
  const problems = [
    ...known,
    ...shape.map((problem) => shapeProblem(problem, locator)),
    ...meaning.map(({ path, message, index }) => ({ ...locator.locate(path, index), path: pathText(path), message })),
  ];
  if (problems.length > 0 || !result.success) throw new PipelineFileError(fileName, problems);
  return normalise(result.data);
};

/** A NUL, or what is left of bytes that are no UTF-8: no text at all. */
const BINARY = /[\0\uFFFD]/u;

const noText = (text: string): string =>
  /^(?:II[*+]\0|MM\0[*+])/u.test(text)
    ? 'this is a TIFF and no pipeline: name it as the scene, and a JSON file as the pipeline'
    : 'this is no text, so no pipeline: a JSON file is wanted';

/**
 * Reads a pipeline file: JSON with comments and trailing commas.
 *
 * @param text the file's text.
 * @param fileName what messages call the file.
 * @param change changes the file's value before it is checked, such as by options of a command line.
 * @throws PipelineFileError with every fault, by line and column.
 */
export const parsePipeline = (
  text: string,
  fileName: string,
  change: (value: unknown) => unknown = (value) => value,
): Pipeline => {
  if (BINARY.test(text))
    throw new PipelineFileError(fileName, [{ line: 1, column: 1, path: '', message: noText(text) }]);
  const json = readJsonText(text.replace(/^\uFEFF/u, ''));
  const [syntax, repeated] = [json.syntax, json.repeated].map((problems) =>
    problems.map((problem) => ({ ...problem, path: pathText(problem.path) })),
  );
  if (syntax !== undefined && syntax.length > 0) throw new PipelineFileError(fileName, syntax);
  return pipelineOf(change(json.value), fileName, json, repeated);
};
