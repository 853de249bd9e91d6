// Index reads in hot loops stay inside their arrays by construction, hence `as number`: a check there costs.
import { type FieldRows, hash, noiseAlong } from './noise.ts';

// Math's functions are looked up once: in a test runner's sandbox every look-up of a global costs more than a pixel.
const { ceil, cos, floor, hypot, max, min, sin, sqrt } = Math;

/** How a line winds across the scene, px and radians. */
export interface Course {
  readonly x: number;
  readonly y: number;
  /** Mean direction, 0 = east, growing southward. */
  readonly heading: number;
  /** How far the direction swings to either side; above 1.6 it loops back on itself as an old river does. */
  readonly swing: number;
  /** Length of one meander along the line, px. */
  readonly wavelength: number;
  readonly halfWidth: number;
  /** How far its valley reaches from a bank, px: distances are stretched so that this is REACH. */
  readonly valley: number;
  readonly seed: number;
}

/** A place on a line. */
export interface Waypoint {
  readonly x: number;
  readonly y: number;
  readonly halfWidth: number;
  readonly valley: number;
}

/** Up to where distances from a bank are kept; beyond, they are FAR. */
export const REACH = 70;
export const FAR = 1000;

/**
 * A meandering line from its start until it leaves the scene, as places so close that their discs make a band. It is a sine-generated curve:
 * its direction is a sine of the way gone along it.
 * Source: W. B. Langbein and L. B. Leopold, "River meanders: theory of minimum variance", 1966.
 *
 * @param mouth true where the line ends (a tributary in its river).
 */
export function followCourse(size: number, course: Course, mouth?: (x: number, y: number) => boolean): Waypoint[] {
  const line: Waypoint[] = [];
  const margin = course.valley + 40;
  const step = max(1, floor(course.halfWidth / 2));
  let { x, y } = course;
  let phase = 0;
  for (let way = 0; way < size * 12; way += 1) {
    const bend = floor(phase);
    const swing = course.swing * (0.55 + 0.6 * hash(bend, 1, course.seed));
    const drift = 0.9 * (noiseAlong(way / (1.7 * course.wavelength), course.seed) - 0.5);
    const direction = course.heading + drift + swing * sin(phase * Math.PI);
    phase += 2 / (course.wavelength * (0.5 + hash(bend, 2, course.seed)));
    x += cos(direction);
    y += sin(direction);
    if (x < -margin || y < -margin || x > size + margin || y > size + margin || mouth?.(x, y) === true) break;
    const halfWidth = course.halfWidth * (0.75 + 0.5 * noiseAlong(way / 130, course.seed + 1));
    if (way % step === 0) line.push({ x, y, halfWidth, valley: course.valley });
  }
  return line;
}

/** Tells whether a place lies in the water of one of some lines. */
export function within(lines: readonly (readonly Waypoint[])[]): (x: number, y: number) => boolean {
  const rows = Map.groupBy(lines.flat(), ({ y }) => floor(y / 16));
  return (x, y) => {
    const row = floor(y / 16);
    const near = [row - 1, row, row + 1].flatMap((key) => rows.get(key) ?? []);
    return near.some((place) => hypot(place.x - x, place.y - y) < place.halfWidth);
  };
}

/** The field of distances to the nearest bank of some lines: px, negative inside, FAR where no line is near. */
export function bankRows(size: number, lines: readonly (readonly Waypoint[])[]): FieldRows {
  const places = lines.flat();
  const byRow: Waypoint[][] = Array.from({ length: size }, () => []);
  for (const place of places) {
    const radius = place.halfWidth + place.valley;
    const last = min(size - 1, floor(place.y + radius));
    for (let row = max(0, ceil(place.y - radius)); row <= last; row += 1) byRow[row]?.push(place);
  }
  const distances = new Float32Array(size);
  return (row) => {
    distances.fill(FAR);
    for (const place of byRow[row] ?? []) approach(distances, row, place);
    return distances;
  };
}

/** Keeps the smaller of what is there and the distance to one place's disc. */
function approach(distances: Float32Array<ArrayBuffer>, row: number, { x, y, halfWidth, valley }: Waypoint): void {
  const dy2 = (row - y) ** 2;
  const reach = sqrt(max(0, (halfWidth + valley) ** 2 - dy2));
  const stretch = REACH / valley;
  const right = min(distances.length - 1, floor(x + reach));
  for (let column = max(0, ceil(x - reach)); column <= right; column += 1) {
    const fromBank = sqrt(dy2 + (column - x) ** 2) - halfWidth;
    const distance = fromBank > 1 ? 1 + (fromBank - 1) * stretch : fromBank;
    if (distance < (distances[column] as number)) distances[column] = distance;
  }
}
