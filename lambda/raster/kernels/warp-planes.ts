import type { CellCurve } from '../warp/cell-curve.ts';
import type { SourceLine } from '../warp/source-view.ts';
import type { PixelRect } from '../types.ts';
import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';

/** Output pixels that a kernel resamples at a time; assembly/bilinear.ts has the same number. */
const MOST = 4096;
/** What a kernel wants for the positions of that many pixels, bytes. */
const POSITION_BYTES = 24 * MOST + 64;
/** A lattice cell's numbers: 24 doubles. */
const CELL_BYTES = 24 * 8;

/** Bands on their way through a warp, in the kernels' memory: theirs until the next call of another kernel. */
export interface WarpPlanes {
  /** The bands' pixels, rows x cols of what was read. */
  readonly sources: readonly Float32Array<ArrayBuffer>[];
  /** Where the window's pixels go, rows x cols; NaN to begin with. */
  readonly targets: readonly Float32Array<ArrayBuffer>[];
  /** What was read, px of the level. */
  readonly rect: PixelRect;
  readonly firstSource: number;
  readonly sourceBytes: number;
  readonly firstTarget: number;
  readonly targetBytes: number;
  readonly doubles: Float64Array<ArrayBuffer>;
}

/** Brings bands into the kernels' memory. @param length pixels of the window */
export const warpPlanes = (
  bands: readonly Float32Array<ArrayBuffer>[],
  rect: PixelRect,
  length: number,
): WarpPlanes => {
  const px = rect.width * rect.height;
  const sourceBytes = aligned(px * 4);
  const targetBytes = aligned(length * 4);
  const firstSource = ARENA_START + POSITION_BYTES + CELL_BYTES;
  const firstTarget = firstSource + bands.length * sourceBytes;
  const { floats, doubles } = arenaOf(firstTarget + bands.length * targetBytes);
  const plane = (first: number, count: number) => floats.subarray(first / 4, first / 4 + count);
  return {
    sources: bands.map((pixels, band) => {
      const source = plane(firstSource + band * sourceBytes, px);
      source.set(pixels);
      return source;
    }),
    targets: bands.map((_, band) => plane(firstTarget + band * targetBytes, length).fill(Number.NaN)),
    rect,
    firstSource,
    sourceBytes,
    firstTarget,
    targetBytes,
    doubles,
  };
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
      kernels.bilinearRun(x0, dx, ddx, y0, dy, ddy, first + done, most, ...placeOf(planes, offset + done));
    }
  },
  cell: (planes, { x: columns, y: rows, u0, v0, u1, v1, factor }, { x, y, width, height }, offset, stride) => {
    const at = ARENA_START + POSITION_BYTES;
    planes.doubles.set([...columns, ...rows, u0, v0, u1, v1, factor.x, factor.y], at / 8);
    for (let done = 0; done < width; done += MOST) {
      const most = Math.min(MOST, width - done);
      kernels.bilinearCell(at, x + done, y, most, height, stride, ...placeOf(planes, offset + done));
    }
  },
};

/** What all kernels are told last: where sources stand and what of the level they are, and where the window's pixels go. */
const placeOf = (
  { rect, sources, firstSource, sourceBytes, firstTarget, targetBytes }: WarpPlanes,
  offset: number,
): readonly number[] => [
  rect.x,
  rect.y,
  rect.width,
  sources.length,
  firstSource,
  sourceBytes,
  firstTarget + offset * 4,
  targetBytes,
  ARENA_START,
];
