// Index reads in hot loops stay inside their arrays by construction, hence `as number`: a check there costs.
import { bankRows, FAR, followCourse, type Waypoint, within } from './meander.ts';
import { clamp01, type FieldRows, fractalRows, hash, mix, quantile, ramp } from './noise.ts';
import { farmland, type GroundPixel } from './parcels.ts';

// Math's functions are looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { floor, max, min } = Math;

const WATER = { red: 330, nir: 140 } as const;
const MOTORWAY = { red: 1250, nir: 1650 } as const;
const MEADOW = { red: 470, nir: 3650 } as const;
const WOODS_SHARE = 0.22;
const TOWNS_SHARE = 0.07;
/** How far wet meadows reach, in the stretched distances of `bankRows`. */
const MEADOWS = 55;

/** One row of the ground: reflectance x 10,000 by column; valid until the next row is asked for. */
export interface GroundRow {
  readonly red: Float32Array<ArrayBuffer>;
  readonly nir: Float32Array<ArrayBuffer>;
}

/**
 * The ground without its weather: farmland, with wet meadows along the water, towns and woods over it, relief in the
 * morning's light, rivers and a motorway on top.
 *
 * @returns a function from a row to its pixels; rows are asked for in order, from the first.
 */
export function landscape(size: number, seed: number): (row: number) => GroundRow {
  const banksAt = rivers(size, seed);
  const roadAt = motorway(size, seed);
  const reliefAt = fractalRows(size, 520, 6, seed + 10);
  const woodsAt = fractalRows(size, 230, 6, seed + 20);
  const townsAt = fractalRows(size, 260, 5, seed + 30);
  const soilAt = fractalRows(size, 60, 4, seed + 40);
  const fields = farmland(size, seed);
  const woodsFrom = quantile(woodsAt, size, 1 - WOODS_SHARE);
  const townsFrom = quantile(townsAt, size, 1 - TOWNS_SHARE);
  const ground: GroundRow = { red: new Float32Array(size), nir: new Float32Array(size) };
  const reliefAbove = Float32Array.from(reliefAt(0));
  const pixel: GroundPixel = { red: 0, nir: 0 };

  return (row) => {
    const [banks, road, relief] = [banksAt(row), roadAt(row), reliefAt(row)];
    const [woods, towns, soil] = [woodsAt(row), townsAt(row), soilAt(row)];
    for (let column = 0; column < size; column += 1) {
      const bank = banks[column] as number;
      const valley = bank >= FAR ? 0 : clamp01(1 - bank / MEADOWS);
      const moisture = (soil[column] as number) - 0.5;
      const density = (towns[column] as number) + 0.05 * valley - townsFrom;
      const town = ramp(0, 0.012, density);
      const wood = ramp(0, 0.01, (woods[column] as number) - 0.08 * valley - woodsFrom) * (1 - town);
      if (wood < 1) {
        fields(column, row, pixel);
        pixel.red *= 1 - 0.7 * moisture;
        pixel.nir *= 1 + 0.5 * moisture;
      }
      if (valley > 0) blend(pixel, MEADOW.red, MEADOW.nir + 900 * moisture, ramp(0.1, 0.55, valley + moisture));
      if (town > 0) build(pixel, column, row, seed, density, town);
      if (wood > 0) {
        const firs = ramp(0.5, 0.54, soil[column] as number) * ramp(0.55, 0.6, relief[column] as number);
        plant(pixel, hash(column, row, seed + 3), firs, moisture, wood);
      }
      const rise = (relief[column] as number) - (reliefAbove[max(0, column - 1)] as number);
      const sun = min(1.2, max(0.8, 1 - 9 * rise));
      pixel.red *= sun;
      pixel.nir *= sun;
      if (bank < 0.5) blend(pixel, WATER.red + 160 * moisture, WATER.nir + 60 * moisture, clamp01(0.5 - bank));
      const asphalt = clamp01(0.5 - (road[column] as number));
      if (asphalt > 0) blend(pixel, MOTORWAY.red, MOTORWAY.nir, asphalt);
      ground.red[column] = pixel.red;
      ground.nir[column] = pixel.nir;
    }
    reliefAbove.set(relief);
    return ground;
  };
}

/** Roofs and gardens, the fewer gardens the denser the town. */
function build(pixel: GroundPixel, column: number, row: number, seed: number, density: number, share: number): void {
  const house = hash(floor(column / 3), floor(row / 2), seed + 4);
  const roof = 0.6 * house + 0.4 * hash(column, row, seed + 3);
  const garden = ramp(0.25, 0.75, 1.05 - roof - 5 * density);
  blend(pixel, mix(1050 + 600 * roof, 560, garden), mix(1550 + 700 * roof, 3100, garden), share);
}

/** Broad-leaved trees or firs, crowns and gaps between them. */
function plant(pixel: GroundPixel, texture: number, firs: number, moisture: number, share: number): void {
  const crown = 0.8 + 0.4 * texture;
  const vigour = 1 + 0.9 * moisture;
  const nir = mix(3400, 1900, firs) * (0.4 + 0.6 * crown) * vigour;
  blend(pixel, (mix(270, 215, firs) * crown) / vigour, nir, share);
}

function blend(pixel: GroundPixel, red: number, nir: number, share: number): void {
  pixel.red = mix(pixel.red, red, share);
  pixel.nir = mix(pixel.nir, nir, share);
}

/** Distances to the banks: one large river in wide loops, and brooks that run into it or into each other. */
function rivers(size: number, seed: number): FieldRows {
  const loops = { heading: -0.35, swing: 1.75, wavelength: 1150, halfWidth: 7, valley: 70, seed: seed + 1 };
  const river = followCourse(size, { ...loops, x: -40, y: size * 0.72 });
  const springs = [
    { x: 0.2, y: -0.01, heading: 1.35 },
    { x: 0.62, y: -0.01, heading: 1.8 },
    { x: 0.45, y: 1.01, heading: -1.4 },
    { x: 0.86, y: 1.01, heading: -1.75 },
  ];
  const lines: Waypoint[][] = [river];
  for (const [i, { x, y, heading }] of springs.entries()) {
    const winding = { swing: 1.3, wavelength: 150, halfWidth: 1.3, valley: 16, seed: seed + 60 + i };
    lines.push(followCourse(size, { ...winding, heading, x: x * size, y: y * size }, within(lines)));
  }
  return bankRows(size, lines);
}

function motorway(size: number, seed: number): FieldRows {
  const course = { x: size * 0.36, y: -30, heading: 1.15, swing: 0.35, wavelength: 2600, halfWidth: 1.2, valley: 2 };
  return bankRows(size, [followCourse(size, { ...course, seed: seed + 5 })]);
}
