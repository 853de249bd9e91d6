import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { openFile } from '../lambda/engines/embedded/file-ranges.ts';
import { compress } from '../lambda/raster/cog/codec.ts';
import { type CogIndexLevel, readCogIndex } from '../lambda/raster/cog/read-cog.ts';
import type { Compression, DataType } from '../lambda/raster/types.ts';
import { REAL_SCENE, demoScene } from './data.ts';
import { FLOAT_CODECS } from './gdal-commands.ts';
import { type Cost, measureHere, sumOfCosts } from './measured.ts';
import { type Row, duration } from './ratio.ts';
import { CRS, ourScene } from './scene.ts';
import { tiledScene } from './tiled-scene.ts';

/**
 * The floor of a scene's processor time, entropy coding alone: every source block decompressed once, every block of the
 * mosaic (each of which a tile holds, or the assembly makes) compressed once, by one thread, with no byte read or written.
 */
export const benchFloor = async (): Promise<Row[]> => {
  const { red, nir } = await demoScene(REAL_SCENE);
  const sources = [await decodeFile(red, 'deflate', 1), await decodeFile(nir, 'deflate', 1)];
  const decoding = sumOfCosts(sources.map(({ cost }) => cost));
  const rows: Row[] = [];
  for (const codec of FLOAT_CODECS) {
    const { compression } = codec;
    const { mosaic } = await tiledScene(REAL_SCENE, { crs: CRS, compression });
    const encoding = await encodeFile(mosaic, compression, 'float32');
    const floor = decoding.cpu + encoding.cpu;
    const whole = await ourScene(REAL_SCENE, codec);
    rows.push({
      bench: 'floor',
      what: `scene of ${REAL_SCENE} px in ${CRS}, ${compression.toUpperCase()}, processor time`,
      ours: duration(whole.cpu),
      peer: `entropy coding alone ${duration(floor)}`,
      measured: `${(whole.cpu / floor).toFixed(2)} x the floor`,
      bar: '',
      met: null,
      remark: `decoding ${duration(decoding.cpu)}, encoding ${duration(encoding.cpu)}`,
    });
  }
  return rows;
};

interface Decoded {
  readonly cost: Cost;
  readonly blocks: readonly Uint8Array<ArrayBuffer>[];
}

/** Blocks decoded at a time, so that memory stays bounded. */
const BATCH = 64;

/** Decompresses every block of a COG's first `levels` levels. */
const decodeFile = async (path: string, compression: Compression, levels: number): Promise<Decoded> => {
  const costs: Cost[] = [];
  await eachBatch(path, levels, async (stored, length) => {
    costs.push((await decodeBatch(stored, compression, length)).cost);
  });
  return { cost: sumOfCosts(costs), blocks: [] };
};

/** Compresses every block of a COG again, as our encoder does. */
const encodeFile = async (path: string, compression: Compression, dataType: DataType): Promise<Cost> => {
  const costs: Cost[] = [];
  await eachBatch(path, Infinity, async (stored, length, rowSamples) => {
    const { blocks } = await decodeBatch(stored, compression, length);
    costs.push(
      await measureHere(async () => {
        for (const block of blocks) compress(block, { compression, dataType, rowSamples });
        return Promise.resolve(undefined);
      }),
    );
  });
  return sumOfCosts(costs);
};

const decodeBatch = async (
  stored: readonly Uint8Array<ArrayBuffer>[],
  compression: Compression,
  length: number,
): Promise<Decoded> => {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  const cost = await measureHere(async () => {
    const inflate = compression === 'deflate' ? inflateSync : zstdDecompressSync;
    for (const block of stored) blocks.push(inflate(block, { chunkSize: length }));
    return Promise.resolve(undefined);
  });
  return { cost, blocks };
};

const eachBatch = async (
  path: string,
  levels: number,
  use: (stored: readonly Uint8Array<ArrayBuffer>[], length: number, rowSamples: number) => Promise<void>,
): Promise<void> => {
  await using reader = await openFile(path);
  const index = await readCogIndex(reader);
  if (index === null) throw new Error(`${path} is no COG of ours`);
  for (const level of index.levels.slice(0, levels)) {
    const length = (level.blockWidth * level.blockHeight * index.bandCount * index.bitsPerSample) / 8;
    const ranges = rangesOf(level);
    for (let at = 0; at < ranges.length; at += BATCH) {
      await use(await reader.read(ranges.slice(at, at + BATCH)), length, level.blockWidth * index.bandCount);
    }
  }
};

const rangesOf = ({ offsets, blockBytes }: CogIndexLevel) =>
  Array.from(blockBytes, (length, i) => ({ offset: offsets[i] ?? 0, length })).filter(({ length }) => length > 0);
