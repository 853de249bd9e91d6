import { expect, it } from '@jest/globals';
import type { Fault } from './chaos.ts';
import { report, runSeed } from './run-seed.ts';

/** How many seeds, and from which on (SIM_SEEDS, SIM_FROM). */
const SEEDS = Number(process.env['SIM_SEEDS'] ?? 2_000);
const FROM = Number(process.env['SIM_FROM'] ?? 1_000);

it(`${SEEDS} seeds keep every invariant`, async () => {
  const happened = new Map<Fault, number>();
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    const result = await runSeed(seed);
    expect(result.violation === null ? 'held' : report(result)).toBe('held');
    for (const [fault, times] of result.faults) happened.set(fault, (happened.get(fault) ?? 0) + times);
  }
  const told = [...happened].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([fault, times]) => `${times} x ${fault}`);
  console.log(told.join('\n'));
}, 1_800_000);
