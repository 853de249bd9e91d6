import { SourceError } from '../../errors.ts';
import type { DataType } from '../types.ts';
import type { Directory } from './directory.ts';
import { conversionLine, requireDecodable } from './codecs.ts';
import { TAG } from './tags.ts';

/** Sides are counted in signed 32-bit integers everywhere else (GDAL, PNG, STAC): nothing larger is a raster. */
const SIDE_LIMIT = 2 ** 31 - 1;
/** A decoded block above this (bytes) is refused: it would be held whole in memory. */
const BLOCK_LIMIT = 256 * 1024 * 1024;
/** Uncompressed strips are cut to about this size (bytes), so that one giant strip is never read whole. */
const RAW_STRIP_TARGET = 1024 * 1024;

const JPEG = 7;
const WEBP = 50_001;
const YCBCR = 6;

/** LZW, DEFLATE and ZSTD: the compressions that have a predictor. On others the tag means nothing, though it may stand there. */
const PREDICTED = new Set([5, 8, 32_946, 50_000]);

/** How one image's samples stand in the file. */
export interface ImageLayout {
  readonly file: string;
  /** Columns and rows, px. */
  readonly width: number;
  readonly height: number;
  /** Samples a pixel: bands, alpha included. */
  readonly samples: number;
  /** Type of a decoded sample: float16 reads as float32, 1 to 7 bits as uint8, 9 to 15 as uint16, 64-bit integers as float64. */
  readonly dataType: DataType;
  readonly bits: number;
  readonly format: 'uint' | 'int' | 'float';
  readonly littleEndian: boolean;
  readonly bitReversed: boolean;
  readonly compression: number;
  readonly predictor: number;
  /** LERC's second compression: 0 none, 1 DEFLATE, 2 ZSTD. */
  readonly lercCompression: number;
  /** JPEG: the tables that all blocks share (the JPEGTables tag); null where there is none. */
  readonly jpegTables: Uint8Array | null;
  /** JPEG: luminance and colour differences, which are read as red, green and blue. */
  readonly ycbcr: boolean;
  /** True: one plane of blocks a band; false: bands interleaved by pixel. */
  readonly planar: boolean;
  /** Samples a pixel inside one block: 1 where planar. */
  readonly blockSamples: number;
  readonly tiled: boolean;
  /** Columns and rows of a block, px; a strip is as wide as the image and the last one may be lower. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** How many blocks one stored strip was cut into; 1 but for tall uncompressed strips. */
  readonly blocksPerStrip: number;
  readonly storedStripHeight: number;
  /** Bytes of one block row once it is decompressed. */
  readonly rowBytes: number;
  /** Band numbers, from 1, whose ExtraSamples tag says associated or unassociated alpha. */
  readonly alphaBands: readonly number[];
}

/**
 * Reads and judges the tags that say how an image is stored.
 *
 * @throws SourceError naming the trait where the image is of a kind that is not read, before anything is allocated
 */
export async function readLayout(directory: Directory): Promise<ImageLayout> {
  const { file } = directory;
  const tag = async (id: number, fallback: number): Promise<number> => (await directory.number(id)) ?? fallback;
  const width = await tag(TAG.ImageWidth, 0);
  const height = await tag(TAG.ImageLength, 0);
  if (width < 1 || height < 1 || width > SIDE_LIMIT || height > SIDE_LIMIT) {
    throw new SourceError(file, `claims a size of ${width} x ${height} px`, {
      remedy: 'the file is damaged; fetch or make it again',
    });
  }
  const samples = await tag(TAG.SamplesPerPixel, 1);
  const orientation = await tag(TAG.Orientation, 1);
  if (orientation !== 1) {
    throw new SourceError(file, `orientation ${orientation}: its first row is not its top row`, {
      remedy: 'turn the pixels first; gdal_translate does not, an image editor or gdalwarp does',
    });
  }
  const photometric = await tag(TAG.Photometric, 1);
  const compression = await tag(TAG.Compression, 1);
  await requireDecodable(file, compression);
  const ycbcr = photometric === YCBCR && compression === JPEG;
  if (photometric > 4 && !ycbcr)
    refuse(file, `photometric interpretation ${photometric} (colours that are neither grey, palette nor RGB)`);
  const { bits, format, dataType } = await sampleType(directory, samples);
  const predictor = PREDICTED.has(compression) ? await tag(TAG.Predictor, 1) : 1;
  requirePredictor(file, predictor, bits, format);

  if (compression === JPEG && bits !== 8) refuse(file, `${bits}-bit JPEG compression is not read`);

  const planar = (await tag(TAG.PlanarConfiguration, 1)) === 2 && samples > 1;
  if (compression === WEBP && (dataType !== 'uint8' || bits !== 8 || samples < 3 || samples > 4 || planar)) {
    refuse(file, `WebP compression of ${samples} bands of ${bits} bits`);
  }
  if (ycbcr && (planar || samples !== 3)) refuse(file, `YCbCr JPEG of ${samples} samples, in planes or not three`);
  const blockSamples = planar ? 1 : samples;
  const tiled = directory.has(TAG.TileWidth);
  const blockWidth = tiled ? await tag(TAG.TileWidth, 0) : width;
  const stripHeight = Math.min(await tag(TAG.RowsPerStrip, height), height);
  const storedStripHeight = tiled ? await tag(TAG.TileLength, 0) : stripHeight;
  const rowBytes = Math.ceil((blockWidth * blockSamples * bits) / 8);
  const cut = !tiled && compression === 1 && predictor === 1;
  const blockHeight = cut ? rawBlockHeight(storedStripHeight, height, rowBytes) : storedStripHeight;
  if (blockWidth < 1 || blockHeight < 1 || rowBytes * blockHeight > BLOCK_LIMIT) {
    const text = `has blocks of ${blockWidth} x ${storedStripHeight} px (at most ${BLOCK_LIMIT / 2 ** 20} MiB are read)`;
    throw new SourceError(file, text, { remedy: conversionLine(file) });
  }
  return {
    file,
    width,
    height,
    samples,
    dataType,
    bits,
    format,
    littleEndian: directory.littleEndian,
    // JPEG has its own order of bits, whatever the tag says.
    bitReversed: compression !== JPEG && (await tag(TAG.FillOrder, 1)) === 2,
    compression,
    predictor,
    lercCompression: (await directory.numbers(TAG.LercParameters))[1] ?? 0,
    jpegTables: compression === JPEG ? await jpegTables(directory) : null,
    ycbcr,
    planar,
    blockSamples,
    tiled,
    blockWidth,
    blockHeight,
    blocksPerStrip: Math.ceil(storedStripHeight / blockHeight),
    storedStripHeight,
    rowBytes,
    alphaBands: alphaBands(samples, photometric, await directory.numbers(TAG.ExtraSamples)),
  };
}

async function jpegTables(directory: Directory): Promise<Uint8Array | null> {
  const bytes = await directory.numbers(TAG.JpegTables);
  return bytes.length === 0 ? null : Uint8Array.from(bytes);
}

/** The type that all bands share; a TIFF may give each its own, which is refused. */
async function sampleType(
  directory: Directory,
  samples: number,
): Promise<Pick<ImageLayout, 'bits' | 'format' | 'dataType'>> {
  const { file } = directory;
  const bitList = await directory.numbers(TAG.BitsPerSample);
  const formatList = await directory.numbers(TAG.SampleFormat);
  const bits = bitList[0] ?? 1;
  const code = formatList[0] ?? 1;
  for (let band = 2; band <= samples; band++) {
    const same = (bitList[band - 1] ?? bits) === bits && (formatList[band - 1] ?? code) === code;
    if (!same) refuse(file, `is of another type than band 1`, band);
  }
  if (code === 5 || code === 6) refuse(file, 'complex samples', undefined, 'write its real part or modulus first');
  const format = code === 2 ? 'int' : code === 3 ? 'float' : 'uint';
  const dataType = DATA_TYPE_BY_SAMPLE[`${format}${bits}`] ?? (format === 'uint' ? packedType(bits) : undefined);
  if (dataType === undefined) return refuse(file, `${bits}-bit ${format} samples`);
  return { bits, format, dataType };
}

const DATA_TYPE_BY_SAMPLE: Partial<Record<string, DataType>> = {
  uint8: 'uint8',
  int8: 'int8',
  uint16: 'uint16',
  int16: 'int16',
  uint32: 'uint32',
  int32: 'int32',
  uint64: 'float64',
  int64: 'float64',
  float16: 'float32',
  float32: 'float32',
  float64: 'float64',
};

function packedType(bits: number): DataType | undefined {
  if (bits < 1 || bits > 15) return undefined;
  return bits < 8 ? 'uint8' : 'uint16';
}

/** Rows of the pieces that uncompressed strips are cut into: all alike, unless one strip holds the whole image. */
function rawBlockHeight(stripHeight: number, height: number, rowBytes: number): number {
  const target = Math.min(stripHeight, Math.max(1, Math.floor(RAW_STRIP_TARGET / rowBytes)));
  if (stripHeight >= height) return target;
  for (let rows = target; rows > 1; rows--) if (stripHeight % rows === 0) return rows;
  return 1;
}

function requirePredictor(file: string, predictor: number, bits: number, format: ImageLayout['format']): void {
  const horizontal = predictor === 2 && [8, 16, 32, 64].includes(bits);
  const floating = predictor === 3 && format === 'float';
  if (predictor !== 1 && !horizontal && !floating)
    refuse(file, `predictor ${predictor} on ${bits}-bit ${format} samples`);
}

/**
 * Colour samples are counted from the photometric interpretation; what the ExtraSamples tag does not account for is
 * unspecified (libtiff's rule). So a mere fourth band is never taken for alpha.
 */
function alphaBands(samples: number, photometric: number, extraSamples: readonly number[]): readonly number[] {
  const colours = photometric === 2 || photometric === YCBCR ? 3 : 1;
  const extras = Math.max(samples - colours, extraSamples.length);
  const first = Math.max(1, samples - extras);
  return extraSamples.flatMap((kind, index) => {
    const band = first + index + 1;
    return (kind === 1 || kind === 2) && band <= samples ? [band] : [];
  });
}

function refuse(file: string, trait: string, band?: number, remedy?: string): never {
  throw new SourceError(file, trait, { ...(band !== undefined && { band }), remedy: remedy ?? conversionLine(file) });
}
