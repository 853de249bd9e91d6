import { describe, expect, it } from '@jest/globals';
import type { Fault } from './chaos.ts';
import { report, runSeed } from './run-seed.ts';

/** `SIM_SEED=n` replays one seed, with its trace where it breaks a rule; else these are run. */
const one = process.env['SIM_SEED'];
const SEEDS = one === undefined ? Array.from({ length: 60 }, (_, i) => i + 1) : [Number(one)];

/** Faults that any sixty seeds bring; rarer ones are counted by the long run. */
const USUAL: readonly Fault[] = [
  'crash before the call',
  'crash after the call',
  'reply lost',
  '409 conflict',
  'throttled',
  'store down',
  'delivered twice',
  'delivered out of order',
  'source replaced',
  'deploy of other pixels',
  'redrive',
];

describe('the simulated pipeline, whatever goes wrong', () => {
  it('keeps every invariant, and what was to go wrong did', async () => {
    const happened = new Map<Fault, number>();
    for (const seed of SEEDS) {
      const result = await runSeed(seed, { traced: one !== undefined });
      expect(result.violation === null ? 'held' : report(result)).toBe('held');
      for (const [fault, times] of result.faults) happened.set(fault, (happened.get(fault) ?? 0) + times);
    }
    const missing = one === undefined ? USUAL.filter((fault) => (happened.get(fault) ?? 0) === 0) : [];
    expect(missing).toEqual([]);
  }, 120_000);

  it('runs a seed the same way every time', async () => {
    const first = await runSeed(7);
    expect((await runSeed(7)).fingerprint).toBe(first.fingerprint);
    expect((await runSeed(8)).fingerprint).not.toBe(first.fingerprint);
  });
});
