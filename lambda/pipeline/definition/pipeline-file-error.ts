import { TileonceError } from '../../errors.ts';

/** One fault of a pipeline file; line and column count from 1. */
export interface PipelineProblem {
  readonly line: number;
  readonly column: number;
  /** The field, `outputs[0].expression`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A pipeline file that cannot be used; lists every fault that was found, in the order of the file. */
export class PipelineFileError extends TileonceError {
  readonly file: string;
  readonly problems: readonly PipelineProblem[];

  constructor(file: string, problems: readonly PipelineProblem[]) {
    const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const lines = sorted.map(
      ({ line, column, path, message }) => `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`,
    );
    super(lines.join('\n'));
    this.file = file;
    this.problems = sorted;
  }
}
