import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestRow } from '../gates/manifest-store.ts';
import { itemKey, mosaicKey, previewKey } from '../identity/output-keys.ts';
import type { SceneJobId } from '../identity/job-key.ts';

/**
 * Outputs of a finished scene that are not there any more, or not as long as the ledger has them: a look at each file's
 * size, no byte is read (`tileonce verify` reads them). Keys, in window order, then mosaic, preview and item.
 */
export const missingOutputs = async (
  out: string,
  scene: SceneJobId,
  rows: readonly ManifestRow[],
): Promise<readonly string[]> => {
  const written = rows.flatMap((row) => (row.state === 'WRITTEN' ? [row] : []));
  const expected: readonly { readonly key: string; readonly bytes: number | null }[] = [
    ...written,
    ...(written.length > 0 ? [mosaicKey(scene), previewKey(scene)] : []).map((key) => ({ key, bytes: null })),
    { key: itemKey(scene), bytes: null },
  ];
  const missing: string[] = [];
  for (const { key, bytes } of expected) {
    const found = await stat(join(out, key)).catch(() => null);
    if (found === null || (bytes !== null && found.size !== bytes)) missing.push(key);
  }
  return missing;
};
