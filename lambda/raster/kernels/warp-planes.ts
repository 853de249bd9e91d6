import type { SourceLine } from '../warp/source-view.ts';
import type { PixelRect } from '../types.ts';
import { ARENA_START, aligned, arenaOf, kernels } from './arena.ts';

/** Output pixels that a kernel resamples at a time; assembly/positions.ts has the same number. */
const MOST = 4096;
/** What a kernel wants for the positions of that many pixels, bytes. */
const SCRATCH_BYTES = 20 * MOST;

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
  const firstSource = ARENA_START + SCRATCH_BYTES;
  const firstTarget = firstSource + bands.length * sourceBytes;
  const { floats } = arenaOf(firstTarget + bands.length * targetBytes);
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
  };
};

/** Resamples `count` pixels along a line whose kernels all lie inside the source, for all bands, into targets from `offset` on. */
export type VectorKernel = (planes: WarpPlanes, line: SourceLine, count: number, offset: number) => void;

export const bilinearVector: VectorKernel = (planes, line, count, offset) => {
  const { rect, sources, firstSource, sourceBytes, firstTarget, targetBytes } = planes;
  const { x0, dx, ddx, y0, dy, ddy, first } = line;
  for (let done = 0; done < count; done += MOST) {
    kernels.bilinearRun(
      x0,
      dx,
      ddx,
      y0,
      dy,
      ddy,
      first + done,
      Math.min(MOST, count - done),
      rect.x,
      rect.y,
      rect.width,
      sources.length,
      firstSource,
      sourceBytes,
      firstTarget + (offset + done) * 4,
      targetBytes,
      ARENA_START,
    );
  }
};
