import { EXIT_INTERRUPTED, InterruptedError } from './exit-code.ts';

/**
 * Runs `work` with a signal that fires on Ctrl-C or SIGTERM; a second one ends the process at once (what it held is
 * taken over by the next run).
 *
 * @param say shows a line to the one at the keyboard.
 * @throws InterruptedError where the work was stopped by the signal.
 */
export const interruptible = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  say: (message: string) => void,
): Promise<T> => {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(EXIT_INTERRUPTED);
    say('tileonce: stopping; the next run goes on from here (once more to stop at once)');
    stop.abort(new InterruptedError());
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
};
