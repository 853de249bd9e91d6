import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openFile } from '../engines/embedded/file-ranges.ts';
import { FILE_BUCKET, counted } from '../engines/embedded/source-store.ts';
import type { SourceStore } from '../pipeline/source-store.ts';

/**
 * Source files below one folder that are looked at without being hashed: for whoever only reads headers and some blocks,
 * and makes nothing that needs an identity.
 *
 * @param onRead called with every read: bytes, and ranges asked for.
 */
export const unhashedFiles = (folder: string, onRead: (bytes: number, ranges: number) => void): SourceStore => ({
  async look(_bucket, key) {
    const stats = await stat(join(folder, key)).catch(() => null);
    if (stats === null || !stats.isFile()) return null;
    const version = `${stats.size}-${stats.mtimeMs}`;
    const pins = { versionToken: version, etag: version, versionId: null };
    return { bucket: FILE_BUCKET, key, ...pins, bytes: stats.size, uploadedAt: stats.mtimeMs };
  },
  open: async ({ key }) => counted(await openFile(join(folder, key)), onRead),
});
