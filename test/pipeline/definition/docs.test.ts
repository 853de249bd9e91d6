import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEFAULTS, defaultsTable } from '../../../lambda/pipeline/definition/defaults.ts';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import { FUNCTIONS } from '../../../lambda/raster/expression/tree.ts';

const page = readFileSync(new URL('../../../docs/pipelines.md', `file://${__filename}`), 'utf8');
const examples = [...page.matchAll(/```json\n(?<text>[^]*?)```/gu)].map(({ groups }) => groups?.['text'] ?? '');

/** The cells of a Markdown table's rows, however the columns are padded. */
const cells = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|-]+$/u.test(line))
    .map((line) => line.split(/(?<!\\)\|/u).map((cell) => cell.trim()));

describe('the page on pipeline files', () => {
  it('has the table of defaults that the code uses', () => {
    const table = /<!-- defaults[^>]*-->(?<table>[^]*)<!-- end of defaults -->/u.exec(page)?.groups?.['table'] ?? '';
    expect(cells(table)).toEqual(cells(defaultsTable()));
    for (const field of Object.keys(DEFAULTS)) expect(table).toContain(`\`${field}\``);
  });

  it.each(examples)('shows a valid pipeline (%#)', (text) => {
    expect(parsePipeline(text, 'docs/pipelines.md').bands.length).toBeGreaterThan(0);
  });

  it('names every function', () => {
    for (const name of Object.keys(FUNCTIONS)) expect(page).toContain(`\`${name}(`);
  });
});
