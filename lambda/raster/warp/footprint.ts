import { transformation } from '../crs/transformation.ts';
import type { Crs, RasterGrid } from '../types.ts';
import { inverted, toCoordinates } from './geotransform.ts';
import { longitudePeriod, nearestTurn } from './longitude-period.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Carries source pixel positions into another CRS, and back. */
export interface FootprintMapping {
  /** Coordinates in the destination of a source position, px; longitudes run on across the antimeridian from the source's centre. */
  readonly forward: (col: number, row: number) => Point | null;
  /** The source position, px, of destination coordinates. */
  readonly inverse: (x: number, y: number) => Point | null;
}

export const footprintMapping = (source: RasterGrid, dst: Crs): FootprintMapping => {
  const there = transformation(source.crs, dst);
  const back = transformation(dst, source.crs);
  const toPixel = inverted(source.geotransform);
  const period = longitudePeriod(dst);
  const sourcePeriod = longitudePeriod(source.crs);
  const middle = toCoordinates(source.geotransform, source.width / 2, source.height / 2);
  const centre = there(middle.x, middle.y);
  return {
    forward(col, row) {
      const { x, y } = toCoordinates(source.geotransform, col, row);
      const point = there(x, y);
      return point === null || centre === null ? point : { x: nearestTurn(point.x, centre.x, period), y: point.y };
    },
    inverse(x, y) {
      const point = back(x, y);
      return point === null ? null : toCoordinates(toPixel, nearestTurn(point.x, middle.x, sourcePeriod), point.y);
    },
  };
};

/** A row or column of sample positions, source px. */
export interface SampleRun {
  readonly positions: readonly Point[];
  /** True where the run goes along a row: then it is looked at more closely at jumps. */
  readonly alongRow: boolean;
}

/** The four edges, from the top left corner's row to the bottom right corner's column. */
export const edgeRuns = ({ width, height }: RasterGrid, steps: number): readonly SampleRun[] => {
  const at = (i: number, size: number): number => (i === steps ? size : (i / steps) * size);
  const run = (alongRow: boolean, make: (i: number) => Point): SampleRun => ({
    positions: Array.from({ length: steps + 1 }, (_, i) => make(i)),
    alongRow,
  });
  return [
    run(true, (i) => ({ x: at(i, width), y: 0 })),
    run(true, (i) => ({ x: at(i, width), y: height })),
    run(false, (i) => ({ x: 0, y: at(i, height) })),
    run(false, (i) => ({ x: width, y: at(i, height) })),
  ];
};

/** Rows of positions all over the source. */
export const gridRuns = ({ width, height }: RasterGrid, steps: number): readonly SampleRun[] =>
  Array.from({ length: steps + 1 }, (_, j) => ({
    positions: Array.from({ length: steps + 1 }, (__, i) => ({ x: (i / steps) * width, y: (j / steps) * height })),
    alongRow: true,
  }));

/** Do all edge positions come back to where they set out, to within one step? Else the box around them says nothing. */
export const edgesComeBack = (grid: RasterGrid, mapping: FootprintMapping, steps: number): boolean =>
  edgeRuns(grid, steps).every(({ positions }) =>
    positions.every(({ x, y }) => {
      const out = mapping.forward(x, y);
      const again = out === null ? null : mapping.inverse(out.x, out.y);
      return (
        again !== null && Math.abs(again.x - x) <= grid.width / steps && Math.abs(again.y - y) <= grid.height / steps
      );
    }),
  );

/**
 * Destination positions of sample runs. Where x changes sign or validity between two samples of a row, the jump is
 * closed in on by halving, 16 times, and what is found on the way counts too (GDAL's rule, for a tight box).
 */
export const projectedPoints = (runs: readonly SampleRun[], mapping: FootprintMapping): readonly Point[] => {
  const found: Point[] = [];
  for (const { positions, alongRow } of runs) {
    let before: { at: Point; out: Point | null } | null = null;
    for (const at of positions) {
      const out = mapping.forward(at.x, at.y);
      if (alongRow && before !== null && (before.out !== null || out !== null)) {
        closeIn(mapping, before, { at, out }, found);
      }
      if (out !== null) found.push(out);
      before = { at, out };
    }
  }
  return found;
};

interface Sample {
  readonly at: Point;
  readonly out: Point | null;
}

const closeIn = (mapping: FootprintMapping, from: Sample, to: Sample, found: Point[]): void => {
  let [low, high] = [from, to];
  for (let i = 0; i < 16; i++) {
    const jumps = low.out === null || high.out === null || low.out.x * high.out.x < 0;
    if (!jumps) return;
    const at = { x: (low.at.x + high.at.x) / 2, y: low.at.y };
    const out = mapping.forward(at.x, at.y);
    if (out !== null) found.push(out);
    if (out === null) {
      if (low.out === null) low = { at, out };
      else if (high.out === null) high = { at, out };
      else return;
    } else if (low.out === null || low.out.x * out.x < 0) high = { at, out };
    else low = { at, out };
  }
};
