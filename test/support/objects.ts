import type { NewObject } from '../../lambda/gates/object-store.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';

/** An object whose bytes are `text`. */
export const textObject = (key: string, text: string): NewObject => {
  const body = new Uint8Array(Buffer.from(text));
  return { key, body, contentType: 'image/tiff', sha256: sha256Hex(body), digest: `digest of ${text}` };
};
