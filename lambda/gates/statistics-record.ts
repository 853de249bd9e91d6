import * as z from 'zod';
import { parseRecord } from '../identity/plan-record.ts';
import { finiteOrNull } from '../raster/statistics.ts';
import type { BandStatistics } from '../raster/types.ts';

/** Rows of earlier versions may hold an overflow: as null in one engine, as an infinity or NaN in the other. */
const finite = z.custom<number | null>((value) => value === null || typeof value === 'number').transform(finiteOrNull);

const statisticsSchema: z.ZodType<(BandStatistics | null)[]> = z.array(
  z.object({ count: z.int(), min: z.number(), max: z.number(), mean: finite, m2: finite }).nullable(),
);

/**
 * A row's statistics as every store keeps them: JSON, whose numbers read back to the last bit.
 *
 * @throws RangeError where a number is not finite: JSON has no such number, and the row could not be read again.
 */
export const serialiseStatistics = (statistics: readonly (BandStatistics | null)[]): string =>
  JSON.stringify(statistics, (name, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`the statistic ${name} is ${value}`);
    return value;
  });

/** What `serialiseStatistics` wrote; null where the text is nothing of the kind. */
export const parseStatistics = (text: string): (BandStatistics | null)[] | null => {
  try {
    return statisticsSchema.parse(parseRecord(text));
  } catch {
    return null;
  }
};
