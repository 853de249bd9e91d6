import { describe, expect, test } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import type { TiffImage } from '../../support/tiff-builder.ts';
import { ascii, buildTiff, GEOREFERENCE, imageTags, long, short } from '../../support/tiff-builder.ts';

const open = (images: readonly TiffImage[]) => openSource(new BytesReader('B04.tif', buildTiff(images)));
const whole = { x: 0, y: 0, width: 4, height: 2 };

describe('levels', () => {
  const plain = (width: number, height: number, tags = {}): TiffImage => ({
    tags: { ...imageTags(width, height, 8), ...tags },
    blocks: [new Uint8Array(width * height)],
  });
  const reduced = { 254: long(1) };
  const sizes = async (images: readonly TiffImage[]) =>
    (await open(images)).levels.map(({ width, height }) => [width, height]);

  test('go from large to small, from the chain and from sub-directories', async () => {
    const main = { ...plain(40, 20), subImages: [plain(5, 3, reduced), plain(20, 10, reduced)] };
    expect(await sizes([main, plain(10, 5, reduced)])).toEqual([
      [40, 20],
      [20, 10],
      [10, 5],
      [5, 3],
    ]);
  });

  test('pages, thumbnails of other proportions and reductions of another type are left out', async () => {
    const deep = { tags: { ...imageTags(20, 10, 16), ...reduced }, blocks: [new Uint8Array(400)] };
    expect(await sizes([plain(40, 20), plain(40, 20), plain(20, 10), plain(20, 20, reduced), deep])).toEqual([
      [40, 20],
    ]);
  });

  test('the older tag for a reduced image counts too', async () => {
    expect(await sizes([plain(40, 20), plain(20, 10, { 255: short(2) })])).toEqual([
      [40, 20],
      [20, 10],
    ]);
  });
});

describe('what the file says of itself', () => {
  const xml =
    '<GDALMetadata><Item name="ACQUISITIONDATETIME" domain="IMAGERY">2020-02-19T11:33:21.024Z</Item>' +
    '<Item name="SCALE" sample="1" role="scale">0.0001</Item><Item name="OFFSET" sample="1" role="offset">-0.1</Item>' +
    '<Item name="DESCRIPTION" sample="0" role="description">red &amp; far</Item></GDALMetadata>';

  test('scale, offset and description by band, and when it was taken', async () => {
    const tags = { ...imageTags(4, 2, 8, 2), 42112: ascii(xml), 306: ascii('2021:01:02 03:04:05') };
    const source = await open([{ tags, blocks: [new Uint8Array(16)] }]);
    expect([source.scaleOf(1), source.scaleOf(2), source.offsetOf(2)]).toEqual([null, 0.0001, -0.1]);
    expect([source.description(1), source.description(2)]).toEqual(['red & far', null]);
    expect(source.dateTime).toBe('2020-02-19T11:33:21Z');
  });

  test.each([
    ['2021:01:02 03:04:05', '2021-01-02T03:04:05Z'],
    ['2021:13:02 03:04:05', null],
    ['yesterday', null],
  ])('the TIFF date %s is %s', async (text, expected) => {
    const source = await open([{ tags: { ...imageTags(4, 2, 8), 306: ascii(text) }, blocks: [new Uint8Array(8)] }]);
    expect(source.dateTime).toBe(expected);
  });

  test('its grid, or why it has none', async () => {
    const placed = await open([{ tags: { ...imageTags(4, 2, 8), ...GEOREFERENCE }, blocks: [new Uint8Array(8)] }]);
    const { crs, ...grid } = placed.grid();
    expect(crs.code).toBe('EPSG:32631');
    expect(grid).toEqual({ width: 4, height: 2, geotransform: [500_000, 10, 0, 5_000_000, 0, -10] });
    const lost = await open([{ tags: imageTags(4, 2, 8), blocks: [new Uint8Array(8)] }]);
    expect(() => lost.grid()).toThrow('B04.tif: has no geotransform');
  });
});

describe('refused when opened, by trait', () => {
  const block = [new Uint8Array(8)];
  test.each([
    [{ 274: short(6) }, 'orientation 6'],
    [{ 259: short(7), 258: short(12) }, '12-bit JPEG compression is not read'],
    [{ 259: short(50_002) }, 'JPEG XL compression is not read'],
    [{ 262: short(6) }, 'photometric interpretation 6'],
    [{ 339: short(5), 258: short(32) }, 'complex samples'],
    [{ 258: short(24) }, '24-bit uint samples'],
    [{ 259: short(8), 317: short(3) }, 'predictor 3 on 8-bit uint samples'],
    [{ 256: long(0) }, 'claims a size of 0 x 2 px'],
    [{ 256: long(2 ** 31) }, 'claims a size of 2147483648 x 2 px'],
    [{ 322: long(2 ** 31), 323: long(16) }, 'has blocks of 2147483648 x 16 px'],
  ])('%j: %s', async (tags, trait) => {
    const opened = open([{ tags: { ...imageTags(4, 2, 8), ...tags }, blocks: block }]);
    await expect(opened).rejects.toBeInstanceOf(SourceError);
    await expect(opened).rejects.toThrow(`B04.tif: ${trait}`);
  });

  test('bands of different types, naming the band', async () => {
    const tags = { ...imageTags(4, 1, 8, 2), 258: short(8, 16) };
    await expect(open([{ tags, blocks: [new Uint8Array(12)] }])).rejects.toThrow(
      'B04.tif (band 2): is of another type',
    );
  });

  test('too few block offsets', async () => {
    const source = await open([{ tags: { ...imageTags(4, 2, 8), 278: short(1) }, blocks: [new Uint8Array(4)] }]);
    await expect(source.readWindow([1], whole, 0)).rejects.toThrow('lists 1 blocks where its size makes 2');
  });
});
