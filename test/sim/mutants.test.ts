import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { INVARIANTS } from './invariants.ts';
import { readTable, seedsToCatch } from './mutant-table.ts';
import { MUTANTS } from './mutants.ts';

/** The rules whose absence shows soon; the long run takes out the others too. */
const SOON = 10;
const documented = readTable(readFileSync(join(import.meta.dirname, '../../docs/protocol.md'), 'utf8'));
const quick = documented.flatMap(([name, , seeds]) => (Number(seeds) <= SOON ? [name] : []));

describe('the simulation notices that a rule was taken out:', () => {
  it.each(MUTANTS.filter(({ name }) => quick.includes(name)).map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    async (_name, mutant) => {
      expect(await seedsToCatch(mutant, 4 * SOON)).not.toBeNull();
    },
    60_000,
  );

  it('the page tells of every rule that is taken out, and which invariant breaks', () => {
    expect(documented.map(([name]) => name)).toEqual(MUTANTS.map(({ name }) => name));
    for (const [, invariant = ''] of documented) expect(Object.keys(INVARIANTS)).toContain(invariant);
  });
});
