/** TIFF, GeoTIFF and GDAL tags that a source is read by (TIFF 6.0; OGC 19-008; GDAL's GTiff driver page). */
export const TAG = {
  NewSubfileType: 254,
  SubfileType: 255,
  ImageWidth: 256,
  ImageLength: 257,
  BitsPerSample: 258,
  Compression: 259,
  Photometric: 262,
  FillOrder: 266,
  StripOffsets: 273,
  Orientation: 274,
  SamplesPerPixel: 277,
  RowsPerStrip: 278,
  StripByteCounts: 279,
  PlanarConfiguration: 284,
  DateTime: 306,
  Predictor: 317,
  TileWidth: 322,
  TileLength: 323,
  TileOffsets: 324,
  TileByteCounts: 325,
  SubIfds: 330,
  ExtraSamples: 338,
  SampleFormat: 339,
  JpegTables: 347,
  ModelPixelScale: 33550,
  ModelTiepoint: 33922,
  ModelTransformation: 34264,
  GeoKeyDirectory: 34735,
  GeoDoubleParams: 34736,
  GeoAsciiParams: 34737,
  GdalMetadata: 42112,
  GdalNodata: 42113,
  LercParameters: 50674,
  RpcCoefficients: 50844,
} as const;

/** Bytes a value of each TIFF field type takes; 0 for types that do not exist. */
export const FIELD_TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

/** A tag's name for messages. */
export function tagName(tag: number): string {
  const name = Object.entries(TAG).find(([, value]) => value === tag)?.[0];
  return name === undefined ? `tag ${tag}` : `tag ${tag} (${name})`;
}
