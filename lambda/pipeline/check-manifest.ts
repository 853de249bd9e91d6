import { TileonceError } from '../errors.ts';
import type { ManifestRow, WrittenRow } from '../gates/manifest-store.ts';
import type { ObjectStore } from '../gates/object-store.ts';
import { windowName } from '../identity/job-key.ts';
import { type WindowIndex, windowsOf } from '../identity/grid.ts';
import type { ScenePlan } from '../identity/plan.ts';

/** How many windows a message names before it only counts the rest. */
const NAMED_WINDOWS = 10;

/** HEADs under way at once. */
const LOOKS_AT_ONCE = 16;

const NO_ROW = 'have no row';

/** The ledger and the objects do not make up the planned scene. Nothing was written. */
export class ManifestGapError extends TileonceError {
  readonly windows: readonly string[];
  /** True where the windows have no row: they may be under way yet. */
  readonly rowless: boolean;

  constructor(sceneJobId: string, what: string, windows: readonly string[], remedy: string) {
    const named = windows.slice(0, NAMED_WINDOWS).join(', ');
    const rest = windows.length > NAMED_WINDOWS ? ` and ${windows.length - NAMED_WINDOWS} more` : '';
    super(`scene ${sceneJobId}: ${windows.length} window(s) ${what} (${named}${rest}); nothing was assembled`, {
      remedy,
    });
    this.windows = windows;
    this.rowless = what === NO_ROW;
  }
}

/** The rows of exactly the planned windows, in window order (row by row). @throws ManifestGapError. */
export const rowsInOrder = (
  plan: ScenePlan,
  rows: readonly ManifestRow[],
): readonly { readonly window: WindowIndex; readonly row: ManifestRow }[] => {
  const byName = new Map(rows.map((row) => [row.window, row]));
  const missing: string[] = [];
  const ordered: { window: WindowIndex; row: ManifestRow }[] = [];
  for (const window of windowsOf(plan.windows)) {
    const name = windowName(window);
    const row = byName.get(name);
    if (row === undefined) missing.push(name);
    else ordered.push({ window, row });
    byName.delete(name);
  }
  if (missing.length > 0) {
    throw new ManifestGapError(plan.sceneJobId, NO_ROW, missing, 'the missing windows are sent again by the next run');
  }
  if (byName.size > 0) {
    throw new ManifestGapError(
      plan.sceneJobId,
      'are in the ledger but not in the plan',
      [...byName.keys()],
      'the ledger was changed by hand',
    );
  }
  return ordered;
};

/** Holds every written row against its object: there, and with the row's bytes and ETag. @throws ManifestGapError. */
export const checkObjects = async (
  objects: ObjectStore,
  plan: ScenePlan,
  rows: readonly WrittenRow[],
  signal?: AbortSignal,
): Promise<void> => {
  const gone: string[] = [];
  const changed: string[] = [];
  for (let start = 0; start < rows.length; start += LOOKS_AT_ONCE) {
    signal?.throwIfAborted();
    const some = rows.slice(start, start + LOOKS_AT_ONCE);
    const infos = await Promise.all(some.map(({ key }) => objects.head(key)));
    for (const [i, row] of some.entries()) {
      const info = infos[i] ?? null;
      if (info === null) gone.push(row.window);
      else if (info.bytes !== row.bytes || info.etag !== row.etag) changed.push(row.window);
    }
  }
  const remedy =
    'outputs were removed or replaced behind the ledger; restore them, or start over in another output folder';
  if (gone.length > 0) throw new ManifestGapError(plan.sceneJobId, 'have a row but no object', gone, remedy);
  if (changed.length > 0)
    throw new ManifestGapError(plan.sceneJobId, 'are not the objects of their rows', changed, remedy);
};
