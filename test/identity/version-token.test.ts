import { describe, expect, it } from '@jest/globals';
import { isOutputKey, itemKey, mosaicKey, previewKey, tileKey } from '../../lambda/identity/output-keys.ts';
import { parseSceneJobId } from '../../lambda/identity/job-key.ts';
import { bareEtag, realVersionId, versionToken } from '../../lambda/identity/version-token.ts';

const sha = Buffer.alloc(32, 7);

describe('the version token', () => {
  it('is the SHA-256 of the whole object where there is one', () => {
    expect(versionToken({ etag: '"abc"', checksumSha256: sha.toString('base64'), checksumType: 'FULL_OBJECT' })).toBe(
      sha.toString('hex'),
    );
  });

  it('is the ETag without quotes where there is no checksum', () => {
    expect(versionToken({ etag: '"9b2cf5a1-3"' })).toBe('9b2cf5a1-3');
  });

  it('is the ETag where the checksum is composite, for that depends on the part sizes', () => {
    const checksum = `${sha.toString('base64')}-3`;
    expect(versionToken({ etag: '"abc-3"', checksumSha256: checksum, checksumType: 'COMPOSITE' })).toBe('abc-3');
    expect(versionToken({ etag: '"abc-3"', checksumSha256: checksum })).toBe('abc-3');
  });

  it('takes a weak ETag for its value', () => {
    expect(bareEtag('W/"x"')).toBe('x');
  });

  it('knows that the version "null" is none', () => {
    expect(realVersionId('null')).toBeNull();
    expect(realVersionId(undefined)).toBeNull();
    expect(realVersionId('3sL4kq')).toBe('3sL4kq');
  });
});

describe('output keys', () => {
  const scene = parseSceneJobId('ab'.repeat(32));
  if (scene === null) throw new Error('no scene id');

  it('are pure functions of the identities', () => {
    expect(tileKey(scene, { row: 7, column: 12 })).toBe(`tiles/${scene}/0007_0012.tif`);
    expect(mosaicKey(scene)).toBe(`scenes/${scene}/scene.tif`);
    expect(itemKey(scene)).toBe(`scenes/${scene}/item.json`);
    expect(previewKey(scene)).toBe(`scenes/${scene}/preview.png`);
  });

  it('are told from keys that a scene may have', () => {
    expect(isOutputKey(tileKey(scene, { row: 0, column: 0 }))).toBe(true);
    expect(isOutputKey(mosaicKey(scene))).toBe(true);
    expect(isOutputKey('scenes/T31UDQ/B04.tif')).toBe(false);
  });
});
