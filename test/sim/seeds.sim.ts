import { expect, it } from '@jest/globals';
import { FAULTS, type Fault } from './chaos.ts';
import { report, runSeed } from './run-seed.ts';

/** How many seeds, and from which on (SIM_SEEDS, SIM_FROM). */
const SEEDS = Number(process.env['SIM_SEEDS'] ?? 2_000);
const FROM = Number(process.env['SIM_FROM'] ?? 1_000);
/** So many seeds bring every fault. */
const ENOUGH = 400;

it(`${SEEDS} seeds keep every invariant, and every fault did happen`, async () => {
  const happened = new Map<Fault, number>();
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    const result = await runSeed(seed);
    expect(result.violation === null ? 'held' : report(await runSeed(seed, { traced: true }))).toBe('held');
    for (const [fault, times] of result.faults) happened.set(fault, (happened.get(fault) ?? 0) + times);
  }
  console.log(FAULTS.map((fault) => `${happened.get(fault) ?? 0} x ${fault}`).join('\n'));
  const missing = FAULTS.filter((fault) => !happened.has(fault));
  expect(SEEDS < ENOUGH ? [] : missing).toEqual([]);
}, 1_800_000);
