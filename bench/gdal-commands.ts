import { readFile } from 'node:fs/promises';
import type { Compression } from '../lambda/raster/types.ts';

/** What GDAL writes like our own tiles and mosaics: codec, level, predictor and block size alike. */
export interface CodecOptions {
  readonly compression: Exclude<Compression, 'none'>;
  readonly level: number;
}

/** Both codecs at the levels that our encoder uses for float32 (lambda/raster/cog/codec.ts). */
export const FLOAT_CODECS: readonly CodecOptions[] = [
  { compression: 'deflate', level: 6 },
  { compression: 'zstd', level: 1 },
];

const pairs = (options: Readonly<Record<string, string | number>>): string[] =>
  Object.entries(options).map(([name, value]) => `${name}=${value}`);

const flagged = (options: readonly string[]): string[] => options.flatMap((option) => ['-co', option]);

/** Creation options of `gdal_translate -of COG` that make what our mosaics are. */
export const cogArguments = (
  { compression, level }: CodecOptions,
  overviews: Readonly<Record<string, string>> = {},
): string[] => [
  '-q',
  '-of',
  'COG',
  ...flagged(
    pairs({
      COMPRESS: compression.toUpperCase(),
      LEVEL: level,
      PREDICTOR: 'YES',
      BLOCKSIZE: 512,
      OVERVIEW_RESAMPLING: 'AVERAGE',
      NUM_THREADS: 2,
      BIGTIFF: 'IF_SAFER',
      ...overviews,
    }),
  ),
];

/** Creation options of a tiled GeoTIFF like one of our tiles of one block. */
export const tileOptions = ({ compression, level }: CodecOptions): string[] =>
  pairs({
    TILED: 'YES',
    BLOCKXSIZE: 512,
    BLOCKYSIZE: 512,
    COMPRESS: compression.toUpperCase(),
    PREDICTOR: 3,
    [compression === 'deflate' ? 'ZLEVEL' : 'ZSTD_LEVEL']: level,
  });

/** What the processor is called, where the system tells. */
export const processorName = async (): Promise<string> => {
  const text = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  return /^model name\s*:\s*(.+)$/m.exec(text)?.[1] ?? process.arch;
};
