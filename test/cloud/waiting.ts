import { setTimeout as pause } from 'node:timers/promises';

/** Tells whoever watches a long test what it is about. */
export const say = (text: string): void => void process.stderr.write(`  ${new Date().toISOString()} ${text}\n`);

/** Waits until a condition holds, telling every 10 s that it still waits. @throws Error after `seconds`. */
export const until = async (what: string, condition: () => Promise<boolean>, seconds = 300): Promise<void> => {
  const started = performance.now();
  let told = started;
  while (!(await condition())) {
    const now = performance.now();
    if (now - started > seconds * 1000) throw new Error(`${what}: not within ${seconds} s`);
    if (now - told > 10_000) {
      say(`waiting: ${what} (${Math.round((now - started) / 1000)} s)`);
      told = now;
    }
    await pause(500);
  }
  say(`${what}: after ${Math.round((performance.now() - started) / 1000)} s`);
};
