import type { Invariant } from './invariants.ts';
import type { NamedMutant } from './mutants.ts';
import { runSeed } from './run-seed.ts';

/** What it took to notice that a rule was taken out. */
export interface Caught {
  readonly name: string;
  readonly invariant: Invariant;
  readonly seeds: number;
}

/** Runs seeds from 1 until an invariant breaks; null where `mostSeeds` do not break one. */
export const seedsToCatch = async ({ name, mutant }: NamedMutant, mostSeeds: number): Promise<Caught | null> => {
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violation } = await runSeed(seed, { mutant });
    if (violation !== null) return { name, invariant: violation.invariant, seeds: seed };
  }
  return null;
};

const HEADINGS = ['the rule taken out', 'what breaks', 'seeds'] as const;
const TABLE = /\| the rule taken out[^\n]*\n\|[ |:-]*\n(?:\|[^\n]*\n)*/u;

/** The rows of the page's table. @throws Error where the page has none. */
export const readTable = (page: string): string[][] => {
  const table = TABLE.exec(page)?.[0];
  if (table === undefined) throw new Error('the page has no table of mutants');
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
};

/** The page with its table made anew. */
export const withTable = (page: string, caught: readonly Caught[]): string => {
  const rows = caught.map(({ name, invariant, seeds }) => [name, `\`${invariant}\``, String(seeds)]);
  const widths = HEADINGS.map((heading, i) => Math.max(heading.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 2 ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`;
  return page.replace(TABLE, `${[line(HEADINGS), rule, ...rows.map(line)].join('\n')}\n`);
};
