import type { SceneCost } from '../lambda/local/cost-scene.ts';
import type { Prices } from '../lambda/pipeline/cost/prices.ts';

const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const quantity = (value: number): string =>
  value >= 100 ? thousands.format(value) : Number(value.toPrecision(3)).toString();
const usd = (value: number): string => value.toFixed(value >= 1 ? 2 : value >= 0.001 ? 4 : 6);
const ms = (value: number): string => `${thousands.format(value)} ms`;

/** Columns side by side: the first two to the left, numbers to the right. */
const columns = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

/** A scene's bill as text, with what it was computed from. */
export const costTable = ({ label, plan, sample, quantities, bill }: SceneCost, prices: Prices): string => {
  const { shape, work, outputBytes } = quantities;
  const { windows, grid } = plan;
  const rows = bill.lines.map((line) => [
    line.service,
    line.what,
    quantity(line.quantity),
    quantity(line.quantity / shape.windows),
    usd(line.usd),
  ]);
  return [
    `scene ${label}: ${shape.windows} windows (${windows.rowEdges.length - 1} x ${windows.columnEdges.length - 1}), ` +
      `${grid.width} x ${grid.height} px, ${shape.sources} source(s)`,
    `list prices of ${prices.region}, ${prices.asOf}; no free tier, no discount, no tax`,
    '',
    ...columns([['', '', 'a scene', 'a window', 'USD'], ...rows, ['total', '', '', '', usd(bill.usd)]]),
    '',
    `a thousand scenes: ${usd(1000 * bill.usd)} USD; outputs of this one: ${(outputBytes / 1e9).toFixed(2)} GB, ` +
      `${usd(bill.storageUsdMonth)} USD a month`,
    `a window: ${ms(work.windowMs)} = ${ms(work.windowMs - work.waitMs)} at work + ${ms(work.waitMs)} of waiting ` +
      `(processor time here: ${ms(sample.milliseconds)} over ${sample.windows} windows, ${sample.empty} of them empty)`,
    `the assembly: ${ms(work.assemblyMs)}; rows counted ${work.counts} time(s)`,
  ].join('\n');
};
