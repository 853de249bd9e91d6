import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parsePrices, pricesOf } from '../../../lambda/pipeline/cost/prices.ts';
import { METRICS } from '../../../lambda/telemetry.ts';

const page = readFileSync(join(process.cwd(), 'docs', 'cost.md'), 'utf8');

describe('docs/cost.md', () => {
  it('shows a file of prices as it is read', () => {
    const shown = /^ {4}\{[^}]*\}/m.exec(page)?.[0] ?? '';
    expect(parsePrices(shown, 'docs/cost.md')).toEqual(pricesOf('us-east-1'));
  });

  it('counts the metrics that are paid for', () => {
    expect(page).toContain(`${METRICS.length} custom metrics`);
  });
});
