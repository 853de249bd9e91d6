import type { WindowIndex } from '../../identity/grid.ts';
import { type SceneJobId, parseSceneJobId } from '../../identity/job-key.ts';
import { itemKey, mosaicKey, previewKey, tileKey } from '../../identity/output-keys.ts';

/** The prefixes that outputs stand under. */
export const OUTPUT_PREFIXES = ['tiles/', 'scenes/'] as const;

/** What an object of the output store is, told by its key alone. */
export type OutputObject =
  | { readonly kind: 'tile'; readonly sceneJobId: SceneJobId; readonly window: WindowIndex }
  | { readonly kind: 'scene-file'; readonly sceneJobId: SceneJobId };

/** Null for a key that the pipeline never writes. */
export const outputObjectOf = (key: string): OutputObject | null => {
  const [prefix, id, name, ...rest] = key.split('/');
  const sceneJobId = parseSceneJobId(id ?? '');
  if (sceneJobId === null || name === undefined || rest.length > 0) return null;
  if (prefix === 'scenes') {
    const ours = [mosaicKey, itemKey, previewKey].some((keyOf) => keyOf(sceneJobId) === key);
    return ours ? { kind: 'scene-file', sceneJobId } : null;
  }
  const [, row, column] = /^(\d{4,})_(\d{4,})\.tif$/.exec(name) ?? [];
  const window = { row: Number(row), column: Number(column) };
  return row !== undefined && tileKey(sceneJobId, window) === key ? { kind: 'tile', sceneJobId, window } : null;
};
