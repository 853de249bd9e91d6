import { describe, expect, it } from '@jest/globals';
import { fromArrayBuffer } from 'geotiff';
import { CogImageError } from '../../../lambda/raster/cog/cog-image.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { readCogIndex } from '../../../lambda/raster/cog/read-cog.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { NO_TAG, UTM_31N, cogImage, noisyPixels } from '../../support/cog-images.ts';

const ascii = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

describe('a COG', () => {
  const image = cogImage({ width: 40, height: 20, bands: [noisyPixels('uint8', 40, 20)] });

  it('is the same bytes each time', () => {
    expect(Buffer.compare(encodeCog(image), encodeCog(image))).toBe(0);
  });

  it('begins with its structure, of which the length is stated', () => {
    const bytes = encodeCog(image);
    const structure = ascii(bytes.subarray(51, 191));
    expect(ascii(bytes.subarray(8, 51))).toBe('GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\n');
    expect(structure).toMatch(/^LAYOUT=IFDS_BEFORE_DATA\n/);
    expect(structure).toMatch(/\nKNOWN_INCOMPATIBLE_EDITION=NO\n $/);
    expect(new DataView(bytes.buffer).getUint32(4, true)).toBe(192);
  });

  it.each([undefined, 0])(
    'has each block behind its size and before its last four bytes, smallest level first',
    async (limit) => {
      const bytes = encodeCog(image, limit);
      const index = await readCogIndex(new BytesReader('a.tif', bytes));
      const view = new DataView(bytes.buffer);
      const starts: number[] = [];
      for (const { offsets, blockBytes } of index?.levels ?? []) {
        for (const [block, offset] of offsets.entries()) {
          const size = blockBytes[block] ?? 0;
          expect(view.getUint32(offset - 4, true)).toBe(size);
          expect(view.getUint32(offset + size, true)).toBe(view.getUint32(offset + size - 4, true));
        }
        starts.push(offsets[0] ?? 0);
      }
      expect(index?.levels.map(({ width, height }) => [width, height])).toEqual([
        [40, 20],
        [20, 10],
        [10, 5],
      ]);
      expect(starts).toEqual(starts.toSorted((a, b) => b - a));
      expect(bytes[2]).toBe(limit === undefined ? 42 : 43);
    },
  );

  it('has no bytes for a block of nodata', async () => {
    const pixels = noisyPixels('uint8', 32, 16).map((value, i) => (i % 32 < 16 ? 0 : value));
    const bytes = encodeCog(cogImage({ width: 32, height: 16, bands: [pixels], nodata: 0 }));
    const index = await readCogIndex(new BytesReader('a.tif', bytes));
    expect(index?.levels[0]?.offsets[0]).toBe(0);
    expect(index?.levels[0]?.blockBytes[0]).toBe(0);
    expect(index?.levels[0]?.blockBytes[1]).toBeGreaterThan(0);
  });

  it('is read by another reader: pixels, type, nodata, keys and names', async () => {
    const bands = [noisyPixels('float32', 40, 20, { seed: 1 }), noisyPixels('float32', 40, 20, { seed: 2 })];
    const bytes = encodeCog(
      cogImage({
        width: 40,
        height: 20,
        bands,
        dataType: 'float32',
        nodata: NaN,
        compression: 'zstd',
        bandTags: [{ ...NO_TAG, name: 'red & <near>' }, NO_TAG],
      }),
    );
    const file = await fromArrayBuffer(bytes.buffer);
    const main = await file.getImage();
    expect([...(await main.readRasters({ interleave: false }))]).toEqual(bands);
    expect(main.getGDALNoData()).toBeNaN();
    expect(main.getGeoKeys()).toEqual({ GTModelTypeGeoKey: 1, GTRasterTypeGeoKey: 1, ProjectedCSTypeGeoKey: 32631 });
    expect(main.getResolution()).toEqual([10, -10, 0]);
    expect(await file.getImageCount()).toBe(3);
  });

  it('keeps the raster type PixelIsArea whether or not the keys name one', async () => {
    // Behind the two keys that the directory counts stands what is none.
    const directory = [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32631, 0, 0, 0, 0];
    const keys = { directory, doubles: [], ascii: '' };
    const bytes = encodeCog({ ...image, grid: { ...image.grid, crs: { ...UTM_31N, geoKeys: keys } } });
    const main = await (await fromArrayBuffer(bytes.buffer)).getImage();
    expect(main.getGeoKeys()).toEqual({ GTModelTypeGeoKey: 1, GTRasterTypeGeoKey: 1, ProjectedCSTypeGeoKey: 32631 });
    expect([...(main.getFileDirectory().getValue('GeoKeyDirectory') ?? [])].slice(0, 4)).toEqual([1, 1, 0, 3]);
  });

  it.each([
    ['a band of the wrong length', { bands: [new Uint8Array(3)] }],
    ['a band of another type', { bands: [new Int16Array(800)] }],
    ['a block size that is no multiple of 16', { blockSize: 100 }],
    ['tags for other bands', { bandTags: [] }],
    ['two bands for three colours', { color: 'rgb' }],
    ['alpha without colours', { alpha: true }],
  ] as const)('is refused with %s', (_, parts) => {
    expect(() => encodeCog({ ...image, ...parts })).toThrow(CogImageError);
  });
});
