import { TileonceError } from '../lambda/errors.ts';
import { PipelineFileError } from '../lambda/pipeline/definition/pipeline-file-error.ts';

/** The run was stopped by the person at the keyboard (128 + SIGINT). */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
    this.name = 'InterruptedError';
  }
}

/** The command was called in a way that it does not understand. */
export class UsageError extends TileonceError {}

export const EXIT_INTERRUPTED = 130;
export const EXIT_USAGE = 2;

/**
 * Says on stderr what went wrong and gives the exit code: one line for what we throw on purpose (one per fault of a
 * pipeline file, or of a pipeline in the options), a stack trace for a defect (or for everything, with TILEONCE_DEBUG set).
 */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof InterruptedError) return EXIT_INTERRUPTED;
  if (error instanceof TileonceError && process.env['TILEONCE_DEBUG'] === undefined) {
    const faults = error instanceof UsageError && error.cause instanceof PipelineFileError ? error.cause : error;
    const lines = faults instanceof PipelineFileError ? faults.message.split('\n') : [error.oneLine];
    for (const line of lines) console.error(`tileonce: ${line}`);
    return error instanceof UsageError ? EXIT_USAGE : 1;
  }
  console.error(error);
  return 1;
};
