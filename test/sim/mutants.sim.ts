import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type Caught, readTable, seedsToCatch, withTable } from './mutant-table.ts';
import { MUTANTS } from './mutants.ts';

/** A mutant that survives this many seeds is not caught. */
const MOST_SEEDS = 400;
const PAGE = join(import.meta.dirname, '../../docs/protocol.md');
/** `SIM_TABLE=write` makes the page's table anew; its numbers move with every change of the pipeline. */
const writing = process.env['SIM_TABLE'] === 'write';

describe('the simulation notices that a rule was taken out:', () => {
  const caught: Caught[] = [];
  const documented = readTable(readFileSync(PAGE, 'utf8')).map(([name]) => name);

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    async (name, mutant) => {
      const found = await seedsToCatch(mutant, MOST_SEEDS);
      expect(found).not.toBeNull();
      if (found !== null) caught.push(found);
      expect(writing || documented.includes(name) ? '' : 'SIM_TABLE=write npm run test:sim tells the page').toBe('');
    },
    300_000,
  );

  afterAll(() => {
    if (writing) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), caught));
  });
});
