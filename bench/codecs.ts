import { constants, deflateSync, inflateSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { openFile } from '../lambda/engines/embedded/file-ranges.ts';
import { applyPredictor } from '../lambda/raster/cog/predictor.ts';
import { readCogIndex } from '../lambda/raster/cog/read-cog.ts';
import { deflateRuns } from '../lambda/raster/kernels/deflate-kernels.ts';
import { zstdFloats } from '../lambda/raster/kernels/zstd-kernels.ts';
import { REAL_SCENE, demoScene } from './data.ts';
import { measureHere } from './measured.ts';
import { type Row, median } from './ratio.ts';
import { readFiles } from './read-files.ts';
import { tiledScene } from './tiled-scene.ts';

/** Blocks of each kind that are compressed, from the middle of their image. */
const BLOCKS = 32;
const BLOCK_PX = 512;

type Bytes = Uint8Array<ArrayBuffer>;

interface Effort {
  readonly name: string;
  readonly compress: (bytes: Bytes) => Bytes;
  readonly decompress: (bytes: Bytes, length: number) => Bytes;
}

const deflate = (name: string, level: number, strategy: number): Effort => ({
  name,
  compress: (bytes) => deflateSync(bytes, { level, strategy, chunkSize: bytes.length + 4096 }),
  decompress: (bytes, length) => inflateSync(bytes, { chunkSize: length + 64 }),
});

const zstd = (level: number): Effort => ({
  name: `ZSTD ${level}`,
  compress: (bytes) =>
    zstdCompressSync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: level },
      pledgedSrcSize: bytes.length,
      chunkSize: bytes.length + 4096,
    }),
  decompress: (bytes, length) => zstdDecompressSync(bytes, { chunkSize: length + 64 }),
});

const { Z_DEFAULT_STRATEGY, Z_RLE } = constants;
const EFFORTS: readonly Effort[] = [
  ...[1, 4, 6, 9].map((level) => deflate(`DEFLATE ${level}`, level, Z_DEFAULT_STRATEGY)),
  deflate('DEFLATE, runs only, by zlib', 6, Z_RLE),
  {
    name: 'DEFLATE, runs only, by the kernel',
    compress: deflateRuns,
    decompress: (bytes, length) => inflateSync(bytes, { chunkSize: length + 64 }),
  },
  ...[1, 3, 9].map(zstd),
];

/** Of floats alone. */
const UPPER_BYTES: Effort = {
  name: 'ZSTD, the upper bytes alone coded, by the kernel',
  compress: (bytes) => zstdFloats(bytes, BLOCK_PX) ?? zstd(1).compress(bytes),
  decompress: zstd(1).decompress,
};

/** What levels and strategies of the codecs buy on each kind of sample: size, and speed of one thread's processor time. */
export const benchCodecs = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const [kind, blocks] of await kinds()) {
    for (const effort of kind.startsWith('float32') ? [...EFFORTS, UPPER_BYTES] : EFFORTS)
      rows.push(await measureEffort(kind, blocks, effort, rounds));
  }
  return rows;
};

const kinds = async (): Promise<[kind: string, blocks: Bytes[]][]> => {
  const { red } = await demoScene(REAL_SCENE);
  const { mosaic } = await tiledScene(10_240, {});
  const byte = (await readFiles()).find(({ what }) => what === 'uint8');
  return [
    ['float32, predictor 3', await blocksOf(mosaic)],
    ['uint16, predictor 2', await blocksOf(red)],
    ['uint8, predictor 2', (await blocksOf(byte?.path ?? '')).map((block) => applyPredictor(block, BLOCK_PX, 1))],
  ];
};

/** Blocks as they are before compression. */
const blocksOf = async (path: string): Promise<Bytes[]> => {
  await using reader = await openFile(path);
  const index = await readCogIndex(reader);
  const [level] = index?.levels ?? [];
  if (level === undefined) throw new Error(`${path} is no COG`);
  const first = Math.floor(level.blockBytes.length / 2);
  const ranges = Array.from({ length: BLOCKS }, (_, i) => ({
    offset: level.offsets[first + i] ?? 0,
    length: level.blockBytes[first + i] ?? 0,
  }));
  const stored = await reader.read(ranges.filter(({ length }) => length > 0));
  return stored.map((block) => inflateSync(block));
};

const measureEffort = async (kind: string, blocks: readonly Bytes[], effort: Effort, rounds: number): Promise<Row> => {
  const raw = blocks.reduce((sum, { length }) => sum + length, 0);
  const [packing, unpacking]: [number[], number[]] = [[], []];
  let packed: Bytes[] = [];
  for (let round = 0; round < rounds; round++) {
    const compressing = await measureHere(async () => {
      packed = blocks.map((block) => effort.compress(block));
      return Promise.resolve(undefined);
    });
    const decompressing = await measureHere(async () => {
      for (const [i, block] of packed.entries()) effort.decompress(block, blocks[i]?.length ?? 0);
      return Promise.resolve(undefined);
    });
    packing.push(compressing.ownThread);
    unpacking.push(decompressing.ownThread);
  }
  const size = packed.reduce((sum, { length }) => sum + length, 0);
  const speed = (seconds: readonly number[]): string => `${Math.round(raw / 1e6 / median(seconds))} MB/s`;
  return {
    bench: 'codecs',
    what: `${kind}: ${effort.name}`,
    ours: '',
    peer: '',
    measured: `${(raw / size).toFixed(3)} : 1`,
    bar: '',
    met: null,
    remark: `in at ${speed(packing)}, out at ${speed(unpacking)}`,
  };
};
