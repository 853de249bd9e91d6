import { interpolateViridis, schemeDark2, schemePaired, schemeTableau10 } from 'd3-scale-chromatic';

/** Red, green, blue, alpha; 0 to 255. */
export type Rgba = readonly [number, number, number, number];

export const TRANSPARENT: Rgba = [0, 0, 0, 0];

/** Colour classes that a class map can tell apart; a map with more values is drawn as a ramp. */
export const MOST_CLASSES = 32;

/** `steps` colours of viridis, dark to light: equal steps of a value are equal steps to the eye. */
export function perceptualRamp(steps: number): Rgba[] {
  return Array.from({ length: steps }, (_, i) => opaque(interpolateViridis(steps === 1 ? 0.5 : i / (steps - 1))));
}

/**
 * A colour for each class value. A value has the same colour in every scene (its colour is chosen by the value itself),
 * unless another value of the same scene asks for that colour first.
 *
 * @param values distinct integers, at most MOST_CLASSES, in ascending order.
 */
export function classColors(values: readonly number[]): Map<number, Rgba> {
  const palette = [...schemeTableau10, ...schemePaired, ...schemeDark2, '#17202a', '#d5dbdb'].map(opaque);
  const taken = new Set<number>();
  const colors = new Map<number, Rgba>();
  for (const value of values) {
    let slot = ((value % palette.length) + palette.length) % palette.length;
    while (taken.has(slot) && taken.size < palette.length) slot = (slot + 1) % palette.length;
    taken.add(slot);
    colors.set(value, palette[slot] ?? TRANSPARENT);
  }
  return colors;
}

/** A CSS colour as d3 writes it: `#rrggbb` or `rgb(r, g, b)`. */
function opaque(css: string): Rgba {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(css);
  const parts = hex === null ? (css.match(/\d+/g) ?? []).map(Number) : hex.slice(1).map((part) => parseInt(part, 16));
  const [red = 0, green = 0, blue = 0] = parts;
  return [red, green, blue, 255];
}
