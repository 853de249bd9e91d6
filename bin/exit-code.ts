import { TileonceError } from '../lambda/errors.ts';

/** The run was stopped by the person at the keyboard (128 + SIGINT). */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
    this.name = 'InterruptedError';
  }
}

export const EXIT_INTERRUPTED = 130;

/**
 * Says on stderr what went wrong and gives the exit code: one line for what we throw on purpose, a stack trace for a
 * defect (or for everything, with TILEONCE_DEBUG set).
 */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof InterruptedError) return EXIT_INTERRUPTED;
  if (error instanceof TileonceError && process.env['TILEONCE_DEBUG'] === undefined) {
    console.error(`tileonce: ${error.oneLine}`);
    return 1;
  }
  console.error(error);
  return 1;
};
