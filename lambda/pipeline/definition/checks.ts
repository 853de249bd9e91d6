import { bandPathProblems } from './check-bands.ts';
import { expressionProblems } from './check-expressions.ts';
import { gridProblems } from './check-grid.ts';
import { outputProblems } from './check-outputs.ts';
import type { MeaningProblem } from './meaning-problem.ts';
import type { PipelineFile } from './schema.ts';

/** Rules over some top-level fields of a file of the right shape. */
interface Check {
  /** The check says nothing where one of these has faults of its own: it would only repeat them. */
  readonly about: readonly string[];
  readonly problems: (file: PipelineFile) => MeaningProblem[];
}

const CHECKS: readonly Check[] = [
  { about: ['bands', 'trigger'], problems: bandPathProblems },
  { about: ['bands', 'expression', 'outputs', 'mask'], problems: expressionProblems },
  { about: ['dst_crs', 'resolution', 'align', 'extent', 'tms', 'zoom'], problems: gridProblems },
  { about: ['expression', 'outputs', 'dtype', 'nodata', 'color'], problems: outputProblems },
  { about: ['datetime'], problems: (file) => patternProblems(file) },
];

const patternProblems = ({ datetime }: PipelineFile): MeaningProblem[] => {
  if (datetime === undefined) return [];
  try {
    RegExp(datetime, 'u');
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /u, '') : String(error);
    return [{ path: ['datetime'], message: `not a regular expression: ${reason}` }];
  }
};

/**
 * Every fault of what a file's fields mean, alone and together.
 *
 * @param damaged top-level fields that have faults of their own.
 */
export const meaningProblems = (file: PipelineFile, damaged: ReadonlySet<string>): MeaningProblem[] =>
  CHECKS.filter(({ about }) => !about.some((field) => damaged.has(field))).flatMap(({ problems }) => problems(file));
