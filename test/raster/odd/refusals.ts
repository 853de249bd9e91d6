/** The indexed files that are refused, each with its reason: whatever is not listed must be read, and what is must not. */

const NO_GEOTRANSFORM = /^\S+\.tif: has no geotransform/;

/** On every grid. */
export const REFUSED: Readonly<Record<string, RegExp>> = {
  // Where they lie is not said, and never guessed.
  'bigtiff_big_endian.tif': NO_GEOTRANSFORM,
  'int64_full_range.tif': NO_GEOTRANSFORM,
  'minimum_tags_1x1.tif': NO_GEOTRANSFORM,
  'miniswhite_1bit.tif': NO_GEOTRANSFORM,
  'multipage.tif': NO_GEOTRANSFORM,
  'nan_pixels_no_nodata_tag.tif': NO_GEOTRANSFORM,
  'no_georeference.tif': NO_GEOTRANSFORM,
  'no_strip_byte_counts.tif': NO_GEOTRANSFORM,
  'nodata_neg_inf.tif': NO_GEOTRANSFORM,
  'sparse_planar_nodata1.tif': NO_GEOTRANSFORM,
  'rotated_no_crs.tif': /^\S+\.tif: has no coordinate reference system/,
  // A warp by points or by a camera model is a choice of method, not a position.
  'gcps_only_cog.tif': /^\S+\.tif: has no geotransform, only 210 ground control points/,
  'rpc.tif': /^\S+\.tif: has no geotransform, only RPC coefficients/,
  // No decoder is at hand.
  'jpeg_12bit.tif': /^\S+\.tif: 12-bit JPEG compression is not read/,
  'jxl_tiled.tif': /^\S+\.tif: JPEG XL compression is not read/,
  'lzma_tiled.tif': /^\S+\.tif: LZMA compression is not read/,
  // Its first row is not its top row: every geotransform would be wrong.
  'orientation_6.tif': /^\S+\.tif: orientation 6/,
  // Two numbers a pixel: no expression is defined over them.
  'complex_int16.tif': /^\S+\.tif: complex samples/,
  // GDAL turns them into RGB; raw ink amounts are no bands that an expression could mean.
  'cmyk.tif': /^\S+\.tif: photometric interpretation 5/,
};

const UNKNOWN_SHIFT =
  /band b1 is in EPSG:26711 \(NAD27 \/ UTM zone 11N\), whose shift to WGS 84 is not known to within 2 m/;

/** Warped to another system; on their own grid they are read. */
export const ONLY_ON_ITS_GRID: Readonly<Record<string, RegExp>> = {
  'be_float32_predictor3.tif': UNKNOWN_SHIFT,
  'bits12.tif': UNKNOWN_SHIFT,
  'bits1_2bands_odd_width.tif': UNKNOWN_SHIFT,
  'float16.tif': UNKNOWN_SHIFT,
  'float32_predictor3.tif': UNKNOWN_SHIFT,
  'float64.tif': UNKNOWN_SHIFT,
  'palette_georef.tif': UNKNOWN_SHIFT,
  'uint32.tif': UNKNOWN_SHIFT,
  // The South Pole is on no Mercator map.
  'cop_dem90_s90_w164.tif': /the scene lies outside the area where EPSG:3857 is defined/,
};

/** Files whose warped pixels are held to a multiple of the tolerances. */
export const LOOSER: Readonly<Record<string, number>> = {
  // At the limb of the Earth positions run away within a pixel.
  'geostationary_goes_jpeg_mask.tif': 4,
  // Pixels of 2 cm, and an ellipsoid that PROJ is given by its flattening: 0.07 mm of difference are 0.004 px.
  'user_defined_geokeys.tif': 30,
  // Pixels of 8 cm on NAD83(HARN), which counts as WGS 84 here: the shift of 1 m is within the 2 m that datums are held to.
  'us_survey_feet.tif': Infinity,
};
