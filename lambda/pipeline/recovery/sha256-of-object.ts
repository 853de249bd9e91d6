import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../gates/object-store.ts';

/** Bytes hashed at a time. */
const STEP = 8 * 1024 * 1024;

/** Streams the object through SHA-256; null where it is gone. */
export const sha256Of = async (objects: ObjectStore, key: string): Promise<string | null> => {
  await using reader = await objects.open(key);
  if (reader === null) return null;
  const hash = createHash('sha256');
  for (let offset = 0; offset < reader.size; offset += STEP) {
    const [bytes] = await reader.read([{ offset, length: Math.min(STEP, reader.size - offset) }]);
    if (bytes !== undefined) hash.update(bytes);
  }
  return hash.digest('hex');
};
