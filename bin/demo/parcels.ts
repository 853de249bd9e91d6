// Index reads in hot loops stay inside their arrays by construction, hence `as number`: a check there costs.
import { hash } from './noise.ts';

// Math's functions are looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { ceil, cos, floor, imul, max, min, sin, sqrt } = Math;

/** Crops in late June at 49 degrees north: surface reflectance x 10,000 and the share of fields. */
const CROPS = [
  { share: 0.33, red: 780, nir: 3300 }, // wheat, still green
  { share: 0.12, red: 1350, nir: 2900 }, // barley, ripe
  { share: 0.12, red: 560, nir: 3900 }, // rape, in pod
  { share: 0.13, red: 980, nir: 2450 }, // maize, knee-high
  { share: 0.13, red: 380, nir: 4500 }, // sugar beet
  { share: 0.07, red: 1750, nir: 2450 }, // bare soil
  { share: 0.1, red: 520, nir: 3700 }, // meadow
] as const;

/** What a pixel of the ground shows, reflectance x 10,000; written in place, for there are millions of them. */
export interface GroundPixel {
  red: number;
  nir: number;
}

/** Mean distance of the centres of blocks of fields, px. */
const BLOCK = 96;
const ROAD = { red: 1350, nir: 2150 } as const;

interface Blocks {
  readonly columns: number;
  readonly x: Float32Array<ArrayBuffer>;
  readonly y: Float32Array<ArrayBuffer>;
  readonly cos: Float32Array<ArrayBuffer>;
  readonly sin: Float32Array<ArrayBuffer>;
  readonly width: Float32Array<ArrayBuffer>;
  readonly length: Float32Array<ArrayBuffer>;
}

/**
 * Farmland: blocks of fields around scattered centres, a country lane between two blocks, strips of fields in a block,
 * each strip along the block's own direction and each field under one crop.
 *
 * @returns a function that writes the pixel at (column, row) into `pixel`: a pure function of place and seed, fastest
 *   along a row.
 */
export function farmland(size: number, seed: number): (column: number, row: number, pixel: GroundPixel) => void {
  const blocks = scatter(size, seed);
  let near = { cell: -1, row: -1, centres: [0] };
  return (column, row, pixel) => {
    const cell = floor(column / BLOCK);
    if (cell !== near.cell || row !== near.row) near = { cell, row, centres: nearCentres(blocks, cell, row) };
    let nearest = 0;
    let best = Infinity;
    let second = Infinity;
    for (const i of near.centres) {
      const distance = ((blocks.x[i] as number) - column) ** 2 + ((blocks.y[i] as number) - row) ** 2;
      if (distance < best) {
        second = best;
        best = distance;
        nearest = i;
      } else if (distance < second) second = distance;
    }
    if (sqrt(second) - sqrt(best) < 1.5) {
      pixel.red = ROAD.red;
      pixel.nir = ROAD.nir;
      return;
    }
    field(blocks, nearest, column, row, seed, pixel);
  };
}

/** The centres that can be the nearest or the second nearest of a pixel in one row of one cell. */
function nearCentres(blocks: Blocks, cell: number, row: number): number[] {
  const around: { centre: number; least: number; most: number }[] = [];
  for (let j = floor(row / BLOCK); j <= floor(row / BLOCK) + 2; j += 1) {
    for (let centre = j * blocks.columns + cell; centre <= j * blocks.columns + cell + 2; centre += 1) {
      const fromLeft = (blocks.x[centre] as number) - cell * BLOCK;
      const fromRight = fromLeft - (BLOCK - 1);
      const dy2 = ((blocks.y[centre] as number) - row) ** 2;
      const dx = fromLeft < 0 ? fromLeft : max(0, fromRight);
      around.push({ centre, least: dx ** 2 + dy2, most: max(fromLeft ** 2, fromRight ** 2) + dy2 });
    }
  }
  const [, bound = Infinity] = around.map(({ most }) => most).sort((a, b) => a - b);
  return around.filter(({ least }) => least <= bound).map(({ centre }) => centre);
}

function field(blocks: Blocks, block: number, column: number, row: number, seed: number, pixel: GroundPixel): void {
  const dx = column - (blocks.x[block] as number);
  const dy = row - (blocks.y[block] as number);
  const across =
    (dx * (blocks.cos[block] as number) + dy * (blocks.sin[block] as number)) / (blocks.width[block] as number);
  const strip = floor(across);
  const along =
    (dy * (blocks.cos[block] as number) - dx * (blocks.sin[block] as number)) / (blocks.length[block] as number) +
    hash(strip, block, seed);
  const key = imul(strip, 7919) + floor(along);
  const crop = cropOf(hash(key, block, seed + 1));
  const vigour = 0.86 + 0.28 * hash(key, block, seed + 2);
  pixel.red = crop.red / vigour;
  pixel.nir = crop.nir * (0.5 + 0.5 * vigour);
  const toEdge = min(across - strip, strip + 1 - across) * (blocks.width[block] as number);
  if (toEdge < 0.6 && hash(strip, block, seed + 3) < 0.5) {
    pixel.red = 330; // a hedge
    pixel.nir = 3200;
  }
}

function cropOf(lot: number): (typeof CROPS)[number] {
  let below = 0;
  for (const crop of CROPS) {
    below += crop.share;
    if (lot < below) return crop;
  }
  return CROPS[0];
}

/** One centre per cell of a lattice, moved at random inside it; one cell more on each side than the scene needs. */
function scatter(size: number, seed: number): Blocks {
  const columns = ceil(size / BLOCK) + 3;
  const each = (value: (i: number, column: number, row: number) => number): Float32Array<ArrayBuffer> =>
    Float32Array.from({ length: columns * columns }, (_, i) => value(i, i % columns, floor(i / columns)));
  const direction = (i: number): number => Math.PI * (hash(i, 3, seed) * 0.35 + floor(hash(i, 4, seed) * 2) * 0.5);
  return {
    columns,
    x: each((i, column) => (column - 1 + hash(i, 1, seed)) * BLOCK),
    y: each((i, _, row) => (row - 1 + hash(i, 2, seed)) * BLOCK),
    cos: each((i) => cos(direction(i))),
    sin: each((i) => sin(direction(i))),
    width: each((i) => 9 + 26 * hash(i, 5, seed) ** 1.5),
    length: each((i) => 30 + 60 * hash(i, 6, seed)),
  };
}
