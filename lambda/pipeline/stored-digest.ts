import type { ObjectStore } from '../gates/object-store.ts';
import { sha256Hex } from '../identity/sha256.ts';
import { readEmbeddedDigest } from '../raster/cog/digest.ts';

/**
 * The digest of a stored object whose store keeps no metadata: read from inside a COG; of any other document, the
 * SHA-256 of its bytes. Null where the object is gone or holds none.
 */
export const storedDigest = async (objects: ObjectStore, key: string): Promise<string | null> => {
  if (!key.endsWith('.tif')) {
    const body = await objects.get(key);
    return body === null ? null : sha256Hex(body);
  }
  await using reader = await objects.open(key);
  return reader === null ? null : await readEmbeddedDigest(reader);
};
