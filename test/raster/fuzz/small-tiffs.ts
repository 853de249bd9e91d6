import { constants, deflateSync, zstdCompressSync } from 'node:zlib';
import { seeded } from '../../local/random.ts';
import { jpegStream } from '../../support/jpeg-stream.ts';
import type { TiffImage, TiffOptions, TiffValue } from '../../support/tiff-builder.ts';
import { ascii, buildTiff, GEOREFERENCE, imageTags, sampleBytes, short } from '../../support/tiff-builder.ts';
import type { SampleKind } from '../../support/tiff-builder.ts';
import { encodeFloating, encodeHorizontal, encodeLzw } from '../../support/tiff-encoders.ts';

/** A small sound file, and where in it the pixels are. */
export interface SmallTiff {
  readonly title: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** First byte of the first block; the directories and their arrays lie before it. */
  readonly blocksAt: number;
  /** True: the codec carries a checksum, so that no changed block passes for sound. */
  readonly checked: boolean;
}

const WIDTH = 20;
const HEIGHT = 12;
const SIDE = 16;

const values = (count: number, most: number): number[] =>
  Array.from({ length: count }, (_, at) => (at * 7 + ((at * at) >> 3)) % most);
const deflate = (bytes: Uint8Array): Uint8Array => deflateSync(bytes);
const zstd = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const packBits = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([...bytes].flatMap((byte, at) => (at % 2 === 0 ? [1, byte, bytes[at + 1] ?? 0] : [])));

/** Strips of 5 rows. */
function strips(
  kind: SampleKind,
  compression: number,
  encode: (bytes: Uint8Array) => Uint8Array,
  samples = 1,
): TiffImage {
  const bits = Number(kind.replace(/\D+/, ''));
  const format = kind.startsWith('u') ? 1 : kind.startsWith('i') ? 2 : 3;
  const rows = [5, 5, 2];
  const blocks = rows.map((count) => encode(sampleBytes(values(count * WIDTH * samples, 200), kind)));
  const tags = { ...imageTags(WIDTH, HEIGHT, bits, samples, format), 278: short(5), 259: short(compression) };
  return { tags: { ...tags, ...GEOREFERENCE }, blocks };
}

/** Two tiles of 16 x 16 px a plane. */
function tiles(tags: Record<number, TiffValue>, blocks: readonly (Uint8Array | null)[]): TiffImage {
  const { 278: _, ...rest } = tags;
  return { tags: { ...rest, ...GEOREFERENCE, 322: short(SIDE), 323: short(SIDE) }, blocks };
}

const floats = Float32Array.from(values(SIDE * SIDE, 200));
const words = values(SIDE * SIDE, 60_000).map(BigInt);
const jpegTile = (components: number, seed: number): Uint8Array =>
  jpegStream({
    width: SIDE,
    height: SIDE,
    factors:
      components === 1
        ? [[1, 1]]
        : [
            [2, 2],
            [1, 1],
            [1, 1],
          ],
    restartInterval: 1,
    random: seeded(seed),
  });
const bytes = (most: number): Uint8Array => sampleBytes(values(SIDE * SIDE, most), 'uint8');
const small: TiffImage = {
  tags: { ...imageTags(10, 6, 8), 254: short(1), 259: short(8) },
  blocks: [deflate(sampleBytes(values(60, 200), 'uint8'))],
};
const mask: TiffImage = {
  tags: { ...imageTags(WIDTH, HEIGHT, 1), 254: short(4), 259: short(8) },
  blocks: [deflate(Uint8Array.from({ length: 36 }, (_, at) => at * 37))],
};

const image8 = (compression: number, samples = 1): Record<number, TiffValue> => ({
  ...imageTags(WIDTH, HEIGHT, 8, samples),
  259: short(compression),
});

const IMAGES: readonly (readonly [
  title: string,
  checked: boolean,
  images: readonly TiffImage[],
  options?: TiffOptions,
])[] = [
  ['raw strips of three bands', false, [strips('uint8', 1, (block) => block, 3)]],
  ['raw strips of 64-bit integers', false, [strips('int64', 1, (block) => block)]],
  ['DEFLATE strips', true, [strips('uint8', 8, deflate)]],
  ['ZSTD strips of float64', true, [strips('float64', 50_000, zstd)]],
  ['LZW strips', false, [strips('int16', 5, encodeLzw)]],
  ['PackBits strips', false, [strips('uint16', 32_773, packBits)]],
  [
    'big-endian DEFLATE tiles with predictor 2',
    true,
    [
      tiles({ ...imageTags(WIDTH, HEIGHT, 16), 259: short(8), 317: short(2) }, [
        deflate(encodeHorizontal(words, 16, SIDE, 1, true)),
        deflate(encodeHorizontal(words, 16, SIDE, 1, true)),
      ]),
    ],
    { bigEndian: true },
  ],
  [
    'ZSTD tiles with predictor 3 and nodata',
    true,
    [
      tiles({ ...imageTags(WIDTH, HEIGHT, 32, 1, 3), 259: short(50_000), 317: short(3), 42_113: ascii('7') }, [
        zstd(encodeFloating(floats, SIDE, 1)),
        zstd(encodeFloating(floats, SIDE, 1)),
      ]),
    ],
  ],
  [
    'planes of DEFLATE tiles, one left out',
    true,
    [tiles({ ...image8(8, 2), 284: short(2) }, [deflate(bytes(200)), null, deflate(bytes(99)), deflate(bytes(7))])],
  ],
  ['grey JPEG tiles', false, [tiles(image8(7), [jpegTile(1, 1), jpegTile(1, 2)])]],
  ['YCbCr JPEG tiles', false, [tiles({ ...image8(7, 3), 262: short(6) }, [jpegTile(3, 3), jpegTile(3, 4)])]],
  ['an overview and a mask', true, [strips('uint8', 8, deflate), small, mask]],
  ['an overview below the first directory', true, [{ ...strips('uint8', 8, deflate), subImages: [small] }]],
];

/** A dozen files of every storage that is read. */
export const SMALL_TIFFS: readonly SmallTiff[] = IMAGES.map(([title, checked, images, options]) => {
  const whole = buildTiff(images, options);
  const blocks = images.flatMap((image) => [image, ...(image.subImages ?? [])]).flatMap((image) => image.blocks);
  const length = blocks.reduce((sum, block) => sum + (block?.length ?? 0), 0);
  return { title, bytes: whole, blocksAt: whole.length - length, checked };
});
