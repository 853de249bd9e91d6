/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import { CorruptBlockError } from '../corrupt-block.ts';
import { decodeScan } from './scan.ts';
import type { ComponentBuffer } from './scan.ts';
import { nextSegment, noTables } from './segments.ts';
import type { Frame } from './segments.ts';
import { upsample } from './upsample.ts';
import type { Plane } from './upsample.ts';

/** What a JPEG block is to become. */
export interface JpegShape {
  /** Columns and rows of the block, px. */
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  /** The JPEGTables tag: tables that all blocks share, as a stream of their own; null where blocks carry them all. */
  readonly tables: Uint8Array | null;
  /** True: luminance and colour differences, to be turned into red, green and blue. */
  readonly ycbcr: boolean;
}

/**
 * Decodes a block of baseline JPEG (TIFF Technical Note 2) to the very pixels that libjpeg-turbo makes of it, and with
 * it GDAL. JPEG itself leaves rounding, colour interpolation and conversion to the decoder; this one follows the
 * defaults of libjpeg's decompressor in all three, so that it differs from GDAL nowhere (the oracle test holds it to that).
 *
 * geotiff.js has a JPEG decoder that is not used: it interpolates no colour, rounds otherwise, converts nothing, and
 * fills up what is cut off.
 *
 * @returns rows x columns x samples
 * @throws CorruptBlockError where it is damaged, of another shape, or of another process than baseline
 */
export function decodeJpeg(bytes: Uint8Array, shape: JpegShape): Uint8Array<ArrayBuffer> {
  const { frame, buffers } = decodeScans(bytes, shape);
  const largest = largestFactors(frame);
  const planes = buffers.map((buffer, index): Plane => {
    const { across = 1, down = 1 } = frame.components[index] ?? {};
    const plane = {
      samples: buffer.samples,
      width: Math.ceil((frame.width * across) / largest.across),
      height: Math.ceil((frame.height * down) / largest.down),
      stride: buffer.stride,
    };
    return upsample(plane, largest.across / across, largest.down / down, frame.width, frame.height);
  });
  return shape.ycbcr ? toRgb(planes, shape) : interleaved(planes, shape);
}

function decodeScans(bytes: Uint8Array, shape: JpegShape): { frame: Frame; buffers: readonly ComponentBuffer[] } {
  const tables = noTables();
  if (shape.tables !== null) nextSegment(shape.tables, 0, tables);
  let frame: Frame | null = null;
  let buffers: readonly ComponentBuffer[] = [];
  const scanned = new Set<number>();
  for (let at = 0; ;) {
    const { segment, next } = nextSegment(bytes, at, tables);
    at = next;
    if (segment.kind === 'frame') {
      if (frame !== null) throw new CorruptBlockError('has two JPEG frames');
      ({ frame } = segment);
      requireShape(frame, shape);
      requirePlausible(frame, bytes.length);
      buffers = buffersOf(frame);
    } else if (segment.kind === 'scan') {
      if (frame === null) throw new CorruptBlockError('has a JPEG scan without a frame');
      const { across, down } = largestFactors(frame);
      const units = [Math.ceil(frame.width / (8 * across)), Math.ceil(frame.height / (8 * down))] as const;
      at = decodeScan(bytes, segment.at, segment.components, buffers, tables, ...units);
      for (const { id } of segment.components) scanned.add(id);
      // The end may be cut off behind the last scan; libjpeg lets that pass too.
      if (scanned.size === buffers.length) return { frame, buffers };
    } else {
      throw new CorruptBlockError('ends before all of its JPEG components are there');
    }
  }
}

const largestFactors = ({ components }: Frame): { across: number; down: number } => ({
  across: Math.max(...components.map(({ across }) => across)),
  down: Math.max(...components.map(({ down }) => down)),
});

/** A strip may hold more rows than the image still has: writers pad the last one. */
function requireShape({ width, height, components }: Frame, shape: JpegShape): void {
  if (width !== shape.width || height < shape.height) {
    throw new CorruptBlockError(`holds JPEG of ${width} x ${height} px where ${shape.width} x ${shape.height} belong`);
  }
  const ids = new Set(components.map(({ id }) => id));
  if (components.length !== shape.samples || ids.size !== shape.samples || (shape.ycbcr && shape.samples !== 3)) {
    throw new CorruptBlockError(`holds JPEG of ${components.length} components where ${shape.samples} belong`);
  }
}

/** No block of 64 samples takes less than 2 bits: whatever claims more of them is refused before they are allocated. */
function requirePlausible({ width, height, components }: Frame, bytes: number): void {
  const largest = Math.max(...components.map(({ across, down }) => across * down));
  const blocks = components.reduce((sum, { across, down }) => sum + (across * down) / largest, 0);
  if (((width * height) / 64) * blocks * 2 > bytes * 8) {
    throw new CorruptBlockError(`claims ${width} x ${height} px of JPEG in ${bytes} bytes`);
  }
}

function buffersOf(frame: Frame): ComponentBuffer[] {
  const largest = largestFactors(frame);
  return frame.components.map(({ id, across, down, quantisation }) => {
    const stride = Math.ceil(frame.width / (8 * largest.across)) * across * 8;
    const rows = Math.ceil(frame.height / (8 * largest.down)) * down * 8;
    return {
      id,
      across,
      down,
      quantisation,
      blocksAcross: Math.ceil((frame.width * across) / (8 * largest.across)),
      blocksDown: Math.ceil((frame.height * down) / (8 * largest.down)),
      stride,
      samples: new Uint8ClampedArray(stride * rows),
    };
  });
}

function interleaved(planes: readonly Plane[], { width, height, samples }: JpegShape): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(width * height * samples);
  for (const [band, { samples: from, stride }] of planes.entries()) {
    for (let y = 0; y < height; y++) {
      for (let x = 0, at = y * width * samples + band; x < width; x++, at += samples) {
        out[at] = from[y * stride + x] as number;
      }
    }
  }
  return out;
}

const FRACTION_BITS = 16;
const HALF = 1 << (FRACTION_BITS - 1);
const fixed = (value: number): number => Math.round(value * (1 << FRACTION_BITS));
const RED_OF_CR = fixed(1.402);
const BLUE_OF_CB = fixed(1.772);
const GREEN_OF_CR = fixed(0.71414);
const GREEN_OF_CB = fixed(0.34414);

/** JFIF's conversion (ITU-R BT.601, full range), rounded colour by colour. */
function toRgb(planes: readonly Plane[], { width, height }: JpegShape): Uint8Array<ArrayBuffer> {
  const out = new Uint8ClampedArray(width * height * 3);
  const [luminance, blue, red] = planes;
  if (luminance === undefined || blue === undefined || red === undefined) return new Uint8Array(out);
  for (let y = 0; y < height; y++) {
    let at = y * width * 3;
    for (let x = 0; x < width; x++, at += 3) {
      const level = luminance.samples[y * luminance.stride + x] as number;
      const cb = (blue.samples[y * blue.stride + x] as number) - 128;
      const cr = (red.samples[y * red.stride + x] as number) - 128;
      out[at] = level + ((RED_OF_CR * cr + HALF) >> FRACTION_BITS);
      out[at + 1] = level + ((HALF - GREEN_OF_CB * cb - GREEN_OF_CR * cr) >> FRACTION_BITS);
      out[at + 2] = level + ((BLUE_OF_CB * cb + HALF) >> FRACTION_BITS);
    }
  }
  return new Uint8Array(out.buffer);
}
