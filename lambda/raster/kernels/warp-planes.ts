import type { CellCurve } from '../warp/cell-curve.ts';
import type { SourceLine } from '../warp/source-view.ts';
import type { FloatPixels, PixelRect } from '../types.ts';
import { ARENA_START, type Arena, type Kernels, aligned, arenaOf, kernels } from './arena.ts';
import { planesOf } from './plane-memory.ts';

/** Output pixels that a kernel resamples at a time; assembly/bilinear.ts has the same number. */
const MOST = 4096;
/** What a kernel wants for the positions of that many pixels, bytes. */
const POSITION_BYTES = 24 * MOST + 64;
/** A lattice cell's numbers: 24 doubles. */
const CELL_BYTES = 24 * 8;
const CELL = ARENA_START + POSITION_BYTES;
/** Where the kernels find each band's source and target: 2 x u32. */
const TABLE = CELL + CELL_BYTES;
const ENTRY_BYTES = 8;

/** Bands on their way through a warp, in the kernels' memory: theirs until the next call of another kernel. */
export interface WarpPlanes {
  /** The bands' pixels, rows x cols of what was read. */
  readonly sources: readonly Float32Array<ArrayBuffer>[];
  /** Where the window's pixels go, rows x cols; NaN to begin with. */
  readonly targets: readonly Float32Array<ArrayBuffer>[];
  /** What was read, px of the level. */
  readonly rect: PixelRect;
  readonly kernels: Kernels;
  readonly doubles: Float64Array<ArrayBuffer>;
}

/**
 * Bands in the kernels' memory: where they are, if all of them and the arrays for the window stand there already, else
 * brought there.
 *
 * @param outputs where the window's pixels are wanted; those that are planes are to be NaN but where all is written
 */
export const warpPlanes = (
  bands: readonly Float32Array<ArrayBuffer>[],
  rect: PixelRect,
  outputs: readonly Float32Array<ArrayBuffer>[],
): WarpPlanes => {
  const planes = planesOf([...bands, ...outputs]);
  if (planes === null) return broughtPlanes(bands, rect, outputs[0]?.length ?? 0);
  tellPositions(planes, bands, outputs);
  return { sources: bands, targets: outputs, rect, kernels: planes.kernels, doubles: planes.doubles };
};

const broughtPlanes = (bands: readonly Float32Array<ArrayBuffer>[], rect: PixelRect, length: number): WarpPlanes => {
  const sourceBytes = aligned(rect.width * rect.height * 4);
  const targetBytes = aligned(length * 4);
  const firstSource = aligned(TABLE + bands.length * ENTRY_BYTES);
  const firstTarget = firstSource + bands.length * sourceBytes;
  const arena = arenaOf(firstTarget + bands.length * targetBytes);
  const plane = (first: number, count: number) => arena.floats.subarray(first / 4, first / 4 + count);
  const sources = bands.map((pixels, band) => {
    const source = plane(firstSource + band * sourceBytes, rect.width * rect.height);
    source.set(pixels);
    return source;
  });
  const targets = bands.map((_, band) => plane(firstTarget + band * targetBytes, length).fill(Number.NaN));
  tellPositions(arena, sources, targets);
  return { sources, targets, rect, kernels, doubles: arena.doubles };
};

/** Leaves the window's pixels in the arrays that were given. */
export const leavePlanes = ({ targets }: WarpPlanes, outputs: readonly FloatPixels[]): void => {
  for (const [band, output] of outputs.entries()) {
    const target = targets[band];
    if (target !== undefined && target !== output) output.set(target);
  }
};

const tellPositions = (
  { bytes }: Arena,
  sources: readonly Float32Array<ArrayBuffer>[],
  targets: readonly Float32Array<ArrayBuffer>[],
): void => {
  const table = new Uint32Array(bytes.buffer, TABLE, sources.length * 2);
  for (const [band, { byteOffset }] of sources.entries()) {
    table[2 * band] = byteOffset;
    table[2 * band + 1] = targets[band]?.byteOffset ?? 0;
  }
};

/** How a kernel resamples float32 bands, all of them at once, where its reach lies inside the source. */
export interface VectorKernel {
  /** `count` pixels along a line, into targets from `offset` on. */
  run(planes: WarpPlanes, line: SourceLine, count: number, offset: number): void;
  /** A rectangle of output pixels in one cell of the lattice, into targets from `offset` on, their rows `stride` px apart. */
  cell(planes: WarpPlanes, cell: CellCurve, rect: PixelRect, offset: number, stride: number): void;
}

export const bilinearVector: VectorKernel = {
  run: (planes, line, count, offset) => {
    const { x0, dx, ddx, y0, dy, ddy, first } = line;
    for (let done = 0; done < count; done += MOST) {
      const most = Math.min(MOST, count - done);
      planes.kernels.bilinearRun(x0, dx, ddx, y0, dy, ddy, first + done, most, ...placeOf(planes, offset + done));
    }
  },
  cell: (planes, { x: columns, y: rows, u0, v0, u1, v1, factor }, { x, y, width, height }, offset, stride) => {
    planes.doubles.set([...columns, ...rows, u0, v0, u1, v1, factor.x, factor.y], CELL / 8);
    for (let done = 0; done < width; done += MOST) {
      const most = Math.min(MOST, width - done);
      planes.kernels.bilinearCell(CELL, x + done, y, most, height, stride, ...placeOf(planes, offset + done));
    }
  },
};

/** What all kernels are told last: what of the level the sources are, and where all stands. */
const placeOf = ({ rect, sources }: WarpPlanes, offset: number): readonly number[] => [
  rect.x,
  rect.y,
  rect.width,
  sources.length,
  TABLE,
  offset * 4,
  ARENA_START,
];
