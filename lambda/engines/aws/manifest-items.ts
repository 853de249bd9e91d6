import { TileonceError } from '../../errors.ts';
import { type ManifestRow, PLAN_STATES, type PlanRecord, UNFINISHED } from '../../gates/manifest-store.ts';
import { parseStatistics, serialiseStatistics } from '../../gates/statistics-record.ts';
import { type Item, N, S, damaged, integer, integerOrNull, oneOf, text, textOrNull } from './attributes.ts';

/** Where a scene's plan stands among its rows: `#` sorts before every window name, which begins with a digit. */
export const PLAN_WINDOW = '#plan';
/** The first window name there can be: rows are asked for from here on. */
export const FIRST_WINDOW = '0';

/** The sparse index of unfinished plans, by an attribute that no other item has. */
export const UNFINISHED_INDEX = 'unfinished';

/** DynamoDB's limit on an item is 400 KB; the rest of a plan record is small. Bytes of UTF-8. */
export const MOST_PLAN_BYTES = 400 * 1024 - 4096;

/** @throws TileonceError where the plan does not fit into an item. */
export const itemOfPlan = (record: PlanRecord): Item => {
  const bytes = Buffer.byteLength(record.plan);
  if (bytes > MOST_PLAN_BYTES) {
    throw new TileonceError(
      `the plan of scene ${record.sceneJobId} is ${bytes} bytes long, a manifest record holds ${MOST_PLAN_BYTES}`,
      { remedy: 'use fewer or larger windows, or shorter expressions' },
    );
  }
  return {
    job_id: S(record.sceneJobId),
    window: S(PLAN_WINDOW),
    plan: S(record.plan),
    window_count: N(record.windowCount),
    state: S(record.state),
    next_heal_at: N(record.nextHealAt),
    heals: N(record.heals),
    rows_at_heal: N(record.rowsAtHeal),
    location: S(record.location),
    ...(record.reason === null ? {} : { reason: S(record.reason) }),
    ...(UNFINISHED.includes(record.state) ? { [UNFINISHED_INDEX]: S(record.sceneJobId) } : {}),
  };
};

/** @throws StoreUnavailableError where the item is no plan record. */
export const planOfItem = (item: Item): PlanRecord => ({
  sceneJobId: text(item, 'job_id'),
  plan: text(item, 'plan'),
  windowCount: integer(item, 'window_count'),
  state: oneOf(item, 'state', PLAN_STATES),
  reason: textOrNull(item, 'reason'),
  nextHealAt: integer(item, 'next_heal_at'),
  // Plans of earlier versions have none of these.
  heals: integerOrNull(item, 'heals') ?? 0,
  rowsAtHeal: integerOrNull(item, 'rows_at_heal') ?? -1,
  location: textOrNull(item, 'location') ?? '',
});

export const itemOfRow = (row: ManifestRow): Item => {
  const place = { job_id: S(row.sceneJobId), window: S(row.window), state: S(row.state) };
  if (row.state === 'EMPTY') return place;
  return {
    ...place,
    key: S(row.key),
    bytes: N(row.bytes),
    etag: S(row.etag),
    sha256: S(row.sha256),
    digest: S(row.digest),
    valid_pixels: N(row.validPixels),
    statistics: S(serialiseStatistics(row.statistics)),
  };
};

/** @throws StoreUnavailableError where the item is no manifest row. */
export const rowOfItem = (item: Item): ManifestRow => {
  const place = { sceneJobId: text(item, 'job_id'), window: text(item, 'window') };
  if (oneOf(item, 'state', ['WRITTEN', 'EMPTY']) === 'EMPTY') return { state: 'EMPTY', ...place };
  return {
    state: 'WRITTEN',
    ...place,
    key: text(item, 'key'),
    bytes: integer(item, 'bytes'),
    etag: text(item, 'etag'),
    sha256: text(item, 'sha256'),
    digest: text(item, 'digest'),
    validPixels: integer(item, 'valid_pixels'),
    statistics: parseStatistics(text(item, 'statistics')) ?? damaged('statistics'),
  };
};
