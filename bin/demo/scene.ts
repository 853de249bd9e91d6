// Index reads in hot loops stay inside their arrays by construction, hence `as number`: a check there costs.
import type { GeoTransform } from '../../lambda/raster/types.ts';
import { landscape } from './landscape.ts';
import { fractalRows, hash, mix, quantile, ramp } from './noise.ts';

// Math's functions are looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { ceil, max, min, round } = Math;

/** Two bands of one scene, surface reflectance x 10,000, rows x cols, north up. */
export interface DemoScene {
  readonly size: number;
  readonly red: Uint16Array<ArrayBuffer>;
  readonly nir: Uint16Array<ArrayBuffer>;
  /** The value of pixels without data: clouds, and what the satellite's swath did not reach. */
  readonly nodata: 0;
  readonly epsg: 32631;
  readonly geotransform: GeoTransform;
}

/** Where grid square T31UDQ begins, EPSG:32631, and the size of its pixels, m. */
const WEST = 399_960;
const NORTH = 5_500_020;
const PIXEL = 10;

const CLOUD_SHARE = 0.045;
/** From a pixel in a cloud's shadow to the cloud, px: the morning's sun stands in the south-east. */
const SHADOW = { columns: 26, rows: 34 } as const;

/**
 * A scene as Sentinel-2 sees the Paris basin in June: fields, woods, towns, meandering rivers, a motorway; clouds with
 * their shadows and haze around them; a slanted edge of the swath. Made of hashed noise: the same size and seed give
 * the same pixels.
 *
 * @param size side of the square scene, px of 10 m.
 */
export function makeDemoScene({ size, seed }: { size: number; seed: number }): DemoScene {
  const groundAt = landscape(size, seed);
  const cloudsAt = fractalRows(size, 330, 6, seed + 50);
  const shadowsAt = fractalRows(size, 330, 6, seed + 50);
  const thick = quantile(cloudsAt, size, 1 - CLOUD_SHARE);
  const clear = quantile(cloudsAt, size, 1 - 2.4 * CLOUD_SHARE);
  const dim = mix(clear, thick, 0.6);
  const red = new Uint16Array(size * size);
  const nir = new Uint16Array(size * size);
  for (let row = 0; row < size; row += 1) {
    const ground = groundAt(row);
    const clouds = cloudsAt(row);
    const shadows = shadowsAt(row + SHADOW.rows);
    const columns = min(size, ceil(size * 0.97 - row * 0.16));
    for (let column = 0; column < columns; column += 1) {
      const cloud = clouds[column] as number;
      if (cloud > thick) continue;
      const at = row * size + column;
      const caster = column + SHADOW.columns < size ? (shadows[column + SHADOW.columns] as number) : 0;
      const light = 1 - 0.5 * ramp(dim, thick, caster);
      const haze = 0.6 * ramp(clear, thick, cloud);
      const grain = 0.985 + 0.03 * hash(column, row, seed + 7);
      red[at] = max(1, round(mix((ground.red[column] as number) * light, 3600, haze) * grain));
      nir[at] = max(1, round(mix((ground.nir[column] as number) * light, 3900, haze) * (1.97 - grain)));
    }
  }
  return { size, red, nir, nodata: 0, epsg: 32631, geotransform: [WEST, PIXEL, 0, NORTH, 0, -PIXEL] };
}
