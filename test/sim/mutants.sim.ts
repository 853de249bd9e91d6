import { describe, expect, it } from '@jest/globals';
import { MUTANTS } from './mutants.ts';
import { runSeed } from './run-seed.ts';

/** A mutant that survives this many seeds is not caught. */
const MOST_SEEDS = 1_500;

describe('the simulation notices that a rule was taken out:', () => {
  it.each(MUTANTS.map(({ name, mutant }) => [name, mutant] as const))(
    '%s',
    async (name, mutant) => {
      let seeds = 0;
      let caught: string | null = null;
      while (caught === null && seeds < MOST_SEEDS) {
        seeds++;
        caught = (await runSeed(seeds, { mutant })).violation?.invariant ?? null;
      }
      console.log(`${name}: ${caught ?? 'not caught'} after ${seeds} seed(s)`);
      expect(caught).not.toBeNull();
    },
    300_000,
  );
});
