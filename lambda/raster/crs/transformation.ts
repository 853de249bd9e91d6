import proj4 from 'proj4';
import type { Converter } from 'proj4';
import { TileonceError } from '../../errors.ts';
import { BoundedMemo } from '../bounded-memo.ts';
import type { Crs } from '../types.ts';
import { shiftIsUnknown, withoutUnknownShift } from './unknown-shift.ts';

/** A position in a system's own units: x is the easting or longitude, y the northing or latitude. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** Carries positions from one system to another; null where a position is outside a projection's domain. */
export type Transformation = (x: number, y: number) => Position | null;

/** WGS 84 longitude and latitude, for footprints. */
export const WGS84_PROJ4 = '+proj=longlat +datum=WGS84 +no_defs';

/**
 * The transformation between two systems, exact as proj4 has it. Longitudes come out as proj4 gives them, wrapped
 * around its central meridian.
 *
 * @throws TileonceError where proj4 does not know a projection, or the shift between the datums is not known.
 */
export const transformation = (from: Pick<Crs, 'proj4' | 'name'>, to: Pick<Crs, 'proj4' | 'name'>): Transformation =>
  transformations.get(`${from.proj4}\n${to.proj4}`, () => make(from, to));

/** What to do with a scene that cannot be warped for want of a shift. */
export const UNKNOWN_SHIFT_REMEDY =
  'keep the scene\'s own grid ("dst_crs": "source"), or warp it first with gdalwarp -t_srs EPSG:n';

const transformations = new BoundedMemo<Transformation>(256);

const make = (from: Pick<Crs, 'proj4' | 'name'>, to: Pick<Crs, 'proj4' | 'name'>): Transformation => {
  // Within one system no shift is needed.
  const one = from.proj4 === to.proj4;
  const unknown = one ? undefined : [from, to].find((crs) => shiftIsUnknown(crs.proj4));
  if (unknown !== undefined) {
    const text = `the shift of ${unknown.name} to WGS 84 is not known to within 2 m (it needs a datum grid file, which is not supported)`;
    throw new TileonceError(text, { remedy: UNKNOWN_SHIFT_REMEDY });
  }
  let converter: Converter;
  try {
    converter = proj4(withoutUnknownShift(from.proj4), withoutUnknownShift(to.proj4));
  } catch (cause) {
    throw new TileonceError(`cannot transform between ${from.name} and ${to.name}`, {
      cause,
      remedy: 'warp the scene with gdalwarp to an EPSG system first',
    });
  }
  return (x, y) => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
    try {
      // True: axes as the definition says (south-west systems), which proj4 ignores otherwise.
      // A height, though none is asked for: proj4 deletes the one it adds, which makes an object slow to touch.
      const out = converter.forward({ x, y, z: 0 }, true);
      return Number.isFinite(out.x) && Number.isFinite(out.y) ? { x: out.x, y: out.y } : null;
    } catch {
      // Projections throw or answer nonsense outside their domain; either way there is no such position.
      return null;
    }
  };
};
