import { describe, expect, it } from '@jest/globals';
import type { CogImage } from '../../../lambda/raster/cog/cog-image.ts';
import { mosaicDigest, pixelDigest, readEmbeddedDigest } from '../../../lambda/raster/cog/digest.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { UTM_31N, cogImage, noisyPixels } from '../../support/cog-images.ts';

const image = cogImage({ width: 2, height: 1, bands: [Float32Array.of(NaN, 1)], dataType: 'float32', nodata: NaN });

describe('the pixel digest', () => {
  it('is SHA-256 over a line of JSON and the samples', () => {
    // printf '{"width":2,"height":1,"bands":1,"dtype":"float32","nodata":"NaN","crs":"EPSG:32631","geotransform":[500000,10,0,5000000,0,-10]}\n\0\0\300\177\0\0\200\77' | sha256sum
    expect(pixelDigest(image)).toBe('5584f3f4d1f2243a1f909e70773dd2dac3b6b6a1cf9c1855aca83b378b5e4914');
  });

  it('does not see how the pixels are stored, nor which NaN they hold', () => {
    const otherNan = new Float32Array(Uint32Array.of(0xffc00001, 0x3f800000).buffer);
    const stored = { ...image, blockSize: 512, compression: 'none', digest: '', bands: [otherNan] } as const;
    expect(pixelDigest(stored)).toBe(pixelDigest(image));
    expect(new Uint32Array(otherNan.buffer)[0]).toBe(0xffc00001);
  });

  it.each<[string, Partial<CogImage>]>([
    ['pixels', { bands: [Float32Array.of(NaN, 2)] }],
    ['the sign of a zero', { bands: [Float32Array.of(NaN, -0)] }],
    ['the shape', { width: 1, height: 2 }],
    ['the type', { dataType: 'int32' }],
    ['nodata', { nodata: null }],
    ['the place', { grid: { ...image.grid, geotransform: [500_010, 10, 0, 5_000_000, 0, -10] } }],
    ['the CRS', { grid: { ...image.grid, crs: { ...UTM_31N, code: 'EPSG:32632' } } }],
    ['the keys of a CRS without a code', { grid: { ...image.grid, crs: { ...UTM_31N, code: null } } }],
  ])('changes with %s', (_, parts) => {
    const base = { ...image, bands: parts.dataType === undefined ? image.bands : [Int32Array.of(0, 1)] };
    expect(pixelDigest({ ...base, ...parts })).not.toBe(pixelDigest(image));
  });

  it('is the same over more samples than are hashed at a time', () => {
    const pixels = noisyPixels('float64', 400, 500);
    const large = cogImage({ width: 400, height: 500, bands: [pixels], dataType: 'float64' });
    expect(pixelDigest(large)).toBe(pixelDigest({ ...large, bands: [pixels.slice()] }));
    expect(pixelDigest(large)).not.toBe(pixelDigest({ ...large, bands: [pixels.toReversed()] }));
  });
});

describe('the mosaic digest', () => {
  const mosaic = { ...image, bandCount: 1 };
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];

  it('follows from the windows’ digests, their order, and which are EMPTY', () => {
    const digests = [
      mosaicDigest([a, b], mosaic),
      mosaicDigest([b, a], mosaic),
      mosaicDigest([a, null], mosaic),
      mosaicDigest([null, a], mosaic),
      mosaicDigest([a], mosaic),
      mosaicDigest([a, b], { ...mosaic, width: 3 }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(mosaicDigest([a, b], mosaic)).toBe(digests[0]);
  });
});

describe('the digest inside a file', () => {
  const digest = pixelDigest(image);

  it.each([undefined, 0])('is read back with one read', async (limit) => {
    const reader = new BytesReader('tile.tif', encodeCog({ ...image, digest }, limit));
    expect(await readEmbeddedDigest(reader)).toBe(digest);
    expect(reader.calls).toHaveLength(1);
  });

  it('is read back from behind a directory of many blocks', async () => {
    const pixels = noisyPixels('uint8', 1024, 1024);
    const bytes = encodeCog(cogImage({ width: 1024, height: 1024, bands: [pixels], compression: 'none', digest }));
    const reader = new BytesReader('scene.tif', bytes);
    expect(await readEmbeddedDigest(reader)).toBe(digest);
    expect(reader.calls.flat().reduce((sum, { length }) => sum + length, 0)).toBeLessThan(bytes.length / 4);
  });

  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['an empty file', new Uint8Array(0)],
    ['no TIFF', new Uint8Array(64).fill(80)],
    ['a TIFF that ends in its header', encodeCog(image).slice(0, 200)],
    ['a big-endian TIFF', Uint8Array.of(0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['a TIFF whose directory points at itself', Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0)],
    ['a COG without one', encodeCog({ ...image, digest: '' })],
  ])('is null in %s', async (_, bytes) => {
    expect(await readEmbeddedDigest(new BytesReader('x.tif', bytes))).toBeNull();
  });
});
