/**
 * Systems whose shift to WGS 84 is not known here to within 2 m: that of NAD27 or OSGB36, say, is a grid file. A scene
 * in one keeps its own grid, for which no shift is needed; it is not warped. The mark stands in the proj4 text, which
 * every plan carries; a library that meets it looks for a grid of that name and says that there is none.
 */
const GRIDS = / *\+nadgrids=(?!@null)\S+/g;

/** A definition marked as of unknown shift; what else it says of the shift stays, as the best guess there is. */
export const withUnknownShift = (proj4: string): string => `${withoutUnknownShift(proj4)} +nadgrids=unknown`;

/** Does a definition need a shift that is not known? */
export const shiftIsUnknown = (proj4: string): boolean => /\+nadgrids=(?!@null)/.test(proj4);

/**
 * The definition without its mark, right to the shift that is left out: within some 200 m in North America and Europe,
 * 500 m in the worst places (Tokyo). Enough to say where on a map a scene lies, never to warp its pixels.
 */
export const withoutUnknownShift = (proj4: string): string => proj4.replaceAll(GRIDS, '');
