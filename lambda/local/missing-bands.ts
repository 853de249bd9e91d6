import type { MissingBand } from '../pipeline/look-at-sources.ts';

/** Which files of a scene are not where they should be, for people: `missing in /scenes: B08 (T31_B08.tif)`. */
export const saysMissing = (location: string, missing: readonly MissingBand[]): string =>
  `missing in ${location}: ${missing.map(({ band, keys }) => `${band} (${keys.join(' or ')})`).join(', ')}`;
