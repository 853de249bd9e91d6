import { describe, expect, test } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { buildTiff, imageTags, long } from '../../support/tiff-builder.ts';

const image = { tags: imageTags(2, 2, 8), blocks: [Uint8Array.of(1, 2, 3, 4)] };
const open = (bytes: Uint8Array<ArrayBuffer>) => openSource(new BytesReader('B04.tif', bytes));
const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => Uint8Array.of(...values, ...Array<number>(16).fill(0));
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe('what is no TIFF is named', () => {
  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['it is a PNG image', bytes(0x89, 0x50, 0x4e, 0x47)],
    ['it is a JPEG 2000 image', bytes(0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20)],
    ['it is XML or HTML text (a VRT, or an error page saved in its place)', utf8('<VRTDataset rasterXSize="1">')],
    ['it begins with zero bytes', bytes(0)],
    ['it begins with the bytes 49 49 00 2a', bytes(0x49, 0x49, 0, 42)],
    ['it begins with the bytes 49 49', utf8('II')],
  ])('%s', async (what, content) => {
    await expect(open(content)).rejects.toThrow(`B04.tif: is not a TIFF: ${what}`);
  });

  test('but an empty file is told to be fetched again, not to be converted', async () => {
    await expect(open(new Uint8Array(0))).rejects.toMatchObject({
      oneLine: 'B04.tif: is empty (0 bytes): fetch it again; it was not downloaded or copied whole',
    });
  });
});

describe('a damaged chain of directories is refused in one line', () => {
  test('where it loops', async () => {
    const file = buildTiff([image, image], { loopTo: 0 });
    await expect(open(file)).rejects.toThrow(
      'B04.tif: the chain of image directories loops: directory 2 is one met before',
    );
  });

  test('where the header points outside the file', async () => {
    const file = buildTiff([image]);
    new DataView(file.buffer).setUint32(4, 999_999, true);
    await expect(open(file)).rejects.toThrow('B04.tif: directory 0 lies outside the file (bytes 999999 to 1000001 of');
  });

  test('where the file ends inside a directory or before an array that it needs', async () => {
    const file = buildTiff([{ ...image, tags: { ...image.tags, 33550: { type: 'double', values: [1, 1, 0] } } }]);
    await expect(open(file.slice(0, 40))).rejects.toThrow('directory 0 lies outside the file');
    await expect(open(file.slice(0, file.length - 10))).rejects.toThrow(
      'tag 33550 (ModelPixelScale) lies outside the file',
    );
    await expect(open(file.slice(0, 6))).rejects.toThrow('ends inside its 6-byte header');
  });

  test('where a tag claims more values than the file has bytes', async () => {
    const file = buildTiff([image]);
    // The directory's first entry is ImageWidth: its count is at byte 14.
    new DataView(file.buffer).setUint32(14, 4_000_000_000, true);
    await expect(open(file)).rejects.toThrow('tag 256 (ImageWidth) lies outside the file');
  });

  test('where a sub-directory is one of the chain', async () => {
    const file = buildTiff([{ ...image, tags: { ...image.tags, 330: long(8) } }]);
    await expect(open(file)).rejects.toThrow('loops');
  });

  test('where there is no directory at all', async () => {
    const file = buildTiff([image]);
    new DataView(file.buffer).setUint32(4, 0, true);
    await expect(open(file)).rejects.toBeInstanceOf(SourceError);
  });
});
