import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { DATA } from './data.ts';
import { processorName } from './gdal-commands.ts';
import { type Row, tableOf } from './ratio.ts';

const ROWS = join(DATA, 'rows.json');
const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

/** Where the tables of a benchmark begin and end in the page. */
const BEGIN = /^<!-- bench (.+) -->$/;
const END = '<!-- end -->';

const rowsSchema: z.ZodType<Row[]> = z.array(
  z.object({
    bench: z.string(),
    what: z.string(),
    ours: z.string(),
    peer: z.string(),
    measured: z.string(),
    bar: z.string(),
    met: z.boolean().nullable(),
    remark: z.string(),
  }),
);

/** Keeps rows beside the scenes, in the place of earlier ones of the same benchmarks; returns all that are kept. */
export const keepRows = async (rows: readonly Row[]): Promise<Row[]> => {
  await mkdir(DATA, { recursive: true });
  const before = existsSync(ROWS) ? rowsSchema.parse(JSON.parse(await readFile(ROWS, 'utf8'))) : [];
  const renewed = new Set(rows.map(({ bench }) => bench));
  const all = [...before.filter(({ bench }) => !renewed.has(bench)), ...rows];
  await writeFile(ROWS, `${JSON.stringify(all, null, 2)}\n`);
  return all;
};

/** What a figure was measured on. */
export const machine = async (): Promise<string> =>
  `${await processorName()}, ${availableParallelism()} cores, Node ${process.version}`;

/** Puts rows into docs/performance.md, between the marks of their benchmarks. */
export const writePage = async (rows: readonly Row[]): Promise<void> => {
  const lines: string[] = [];
  let inside = false;
  for (const line of (await readFile(PAGE, 'utf8')).split('\n')) {
    const name = BEGIN.exec(line)?.[1];
    if (line === END) inside = false;
    if (!inside) lines.push(line);
    if (name === undefined) continue;
    const own = rows.filter(({ bench }) => bench === name);
    if (own.length === 0) continue;
    lines.push('', tableOf(own), '');
    inside = true;
  }
  await writeFile(PAGE, lines.join('\n'));
};
