import { collectInOnePass } from '../lambda/garbage-collection.ts';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchCodecs } from './codecs.ts';
import { benchFloor } from './floor.ts';
import { benchGates } from './gates.ts';
import { benchMemory } from './memory.ts';
import { type Row, tableOf } from './ratio.ts';
import { benchAssembly } from './assembly.ts';
import { benchRead } from './read.ts';
import { benchProfile } from './profile.ts';
import { keepRows, machine, writePage } from './report.ts';
import { benchRemote } from './remote.ts';
import { benchScaling } from './scaling.ts';
import { benchScene } from './scene.ts';
import { benchWindow } from './window.ts';

// As workers and functions do.
collectInOnePass();

/**
 * `npm run bench -- NAME...` runs benchmarks, all of them where none is named; `--rounds N` (5) sets how often each side
 * of a comparison runs, `--write` puts the tables into docs/performance.md. Rows are printed as Markdown tables, and
 * kept in rows.json beside the scenes. Exit code 1: a bar is missed.
 */

type Bench = (options: { rounds: number }) => Promise<Row[]>;

/** In the order of docs/performance.md. */
const BENCHES: ReadonlyMap<string, Bench> = new Map<string, Bench>([
  ['scene', benchScene],
  ['window', benchWindow],
  ['read', benchRead],
  ['assembly', benchAssembly],
  ['remote', benchRemote],
  ['gates', benchGates],
  ['memory', benchMemory],
  ['scaling', benchScaling],
  ['floor', benchFloor],
  ['codecs', benchCodecs],
  ['profile', benchProfile],
]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const names = positionals.length > 0 ? positionals : [...BENCHES.keys()];
const unknown = names.filter((name) => !BENCHES.has(name));
if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  console.error(`bench: ${unknown.join(', ') || '--rounds'}: name some of ${[...BENCHES.keys()].join(', ')}`);
  process.exit(2);
}

console.error(await machine());
for (const name of names) {
  console.error(`${name} (load ${(loadavg()[0] ?? 0).toFixed(1)})`);
  const rows = (await BENCHES.get(name)?.({ rounds })) ?? [];
  console.log(`\n${name}\n\n${tableOf(rows)}`);
  // Kept one by one: a run that is stopped has not run for nothing.
  const kept = await keepRows(rows);
  if (values.write) await writePage(kept);
  if (rows.some(({ met }) => met === false)) process.exitCode = 1;
}
