import { integerRange } from '../../raster/data-type.ts';
import { isIntegerType } from '../../raster/expression/sample-types.ts';
import type { DataType, OverviewMethod, Resampling } from '../../raster/types.ts';

/** What a pipeline file need not say. */
export const DEFAULTS = {
  namespace: 'default',
  dst_crs: 'source',
  resampling: 'bilinear',
  align: true,
  tile_px: 512,
  grid: '20x20',
  dtype: 'float32',
  compression: 'deflate',
  band: 1,
  unscaled: false,
} as const;

/** The type of an output: whole numbers where the output is a picture. */
export const defaultType = (color: 'rgb' | null): DataType => (color === 'rgb' ? 'uint8' : DEFAULTS.dtype);

/**
 * The nodata value of an output: NaN for floats; for integers the end of the range that data seldom reaches, and never 0,
 * which counts and flags use. None for a picture: its alpha band says it.
 */
export const defaultNodata = (dtype: DataType, color: 'rgb' | null): number | null => {
  if (color === 'rgb') return null;
  if (!isIntegerType(dtype)) return NaN;
  const { min, max } = integerRange(dtype);
  return min < 0 ? min : max;
};

/** Overviews never invent classes where the resampling does not. */
export const defaultOverviews = (resampling: Resampling): OverviewMethod =>
  resampling === 'nearest' ? 'nearest' : 'average';

/** Web Mercator where a tile matrix set is named: it is the set's own. */
export const defaultCrs = (tms: 'WebMercatorQuad' | undefined): string =>
  tms === undefined ? DEFAULTS.dst_crs : 'EPSG:3857';

const nodataText = (...types: DataType[]): string =>
  types.map((dtype) => `\`${dtype}\` ${defaultNodata(dtype, null)}`).join(', ');

/** Every default, as the documentation shows it: field, default, remark. */
const ROWS: readonly (readonly [field: string, value: string, remark: string])[] = [
  ['`namespace`', `\`"${DEFAULTS.namespace}"\``, ''],
  ['`dst_crs`', `\`"${DEFAULTS.dst_crs}"\``, `\`"${defaultCrs('WebMercatorQuad')}"\` with \`tms\``],
  ['`resolution`', "GDAL's suggestion", 'none with `"dst_crs": "source"`: the source grid is kept'],
  ['`align`', `\`${DEFAULTS.align}\``, 'only with `resolution`'],
  ['`extent`', 'the whole scene', ''],
  ['`resampling`', `\`"${DEFAULTS.resampling}"\``, ''],
  ['`tile_px`', `\`${DEFAULTS.tile_px}\``, ''],
  ['`grid`', `\`"${DEFAULTS.grid}"\``, 'rows x columns, at most: no window is smaller than a block'],
  ['`dtype`', `\`"${DEFAULTS.dtype}"\``, `\`"${defaultType('rgb')}"\` with \`"color": "rgb"\``],
  [
    '`nodata`',
    '`"nan"` for floats',
    `${nodataText('uint8', 'uint16', 'uint32', 'int8', 'int16', 'int32')}; none with \`"color": "rgb"\``,
  ],
  ['`compression`', `\`"${DEFAULTS.compression}"\``, ''],
  [
    '`overviews`',
    `\`"${defaultOverviews(DEFAULTS.resampling)}"\``,
    `\`"${defaultOverviews('nearest')}"\` where \`resampling\` is \`"nearest"\``,
  ],
  ['`mask`', 'none', ''],
  ['`color`', 'none', ''],
  ['`datetime`', 'the first date in the name', "else the TIFF's tag, else the time of upload"],
  ['`trigger`', 'none', 'every band rings'],
  ['band: `path`, `suffix`', 'none', 'the band is one of the one uploaded file'],
  ['band: `band`', `\`${DEFAULTS.band}\``, ''],
  ['band: `resampling`', "the pipeline's `resampling`", '`"nearest"` where bits of the band are read'],
  ['band: `nodata`, `scale`, `offset`', 'what the file says', ''],
  ['band: `unscaled`', `\`${DEFAULTS.unscaled}\``, ''],
  ['output: `name`', "the pipeline's name", 'only for a lone `expression`'],
  ['output: `scale`, `offset`, `unit`', 'none', 'no tag is written'],
];

/** The table of defaults in Markdown. */
export const defaultsTable = (): string =>
  [['Field', 'Default', 'Remark'], ['---', '---', '---'], ...ROWS].map((row) => `| ${row.join(' | ')} |`).join('\n');
