import * as z from 'zod';
import { COMPRESSIONS, DATA_TYPES, OVERVIEW_METHODS, RESAMPLINGS } from '../../raster/types.ts';
import { DECIMAL } from './decimal.ts';

const NAN_OR_DECIMAL = new RegExp(`^[nN][aA][nN]$|${DECIMAL.source}`);

const text = (pattern: RegExp, wanted: string) => z.string().regex(pattern, { error: `must be ${wanted}` });

const DECIMAL_WANTED = 'must be a number, or a decimal in quotes such as "0.0001"';
const NODATA_WANTED = 'must be a number, a decimal in quotes or "nan"';

// Said twice: a union of whose members one nearly fits gives that one's message.
const decimal = z.union([z.number(), z.string().regex(DECIMAL, { error: DECIMAL_WANTED })], { error: DECIMAL_WANTED });
const nodata = z.union([z.number(), z.string().regex(NAN_OR_DECIMAL, { error: NODATA_WANTED })], {
  error: NODATA_WANTED,
});
const slug = text(
  /^[A-Za-z0-9][\w.-]{0,63}$/,
  'letters, digits, ".", "_" and "-", at most 64, a letter or digit first',
);
const bandNumber = z.int().min(1, { error: 'bands are counted from 1' }).max(65_535);
const expression = z.string().describe('An expression over the band names.');

const bandSchema = z
  .strictObject({
    suffix: z
      .string()
      .min(1)
      .optional()
      .describe('How the names of the objects of this band end: short for the path "{scene}SUFFIX".'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe('Path of this band\'s objects with captures: "{scene}/R10m/{id}_B04_10m.tif".'),
    band: bandNumber.optional().describe('Band number inside the file, from 1.'),
    resampling: z.enum(RESAMPLINGS).optional(),
    nodata: nodata.optional().describe('Raw value without data, over what the file says.'),
    scale: decimal.optional().describe('Factor from raw to real values, over what the file says.'),
    offset: decimal.optional().describe('Added after the scale, over what the file says.'),
    unscaled: z.boolean().optional().describe('True: the expression sees raw values.'),
  })
  .describe('Where the pixels of one name come from.');

const outputSchema = z
  .strictObject({
    name: text(/^\w[\w .-]{0,63}$/, 'letters, digits, spaces, ".", "_" and "-", at most 64'),
    expression,
    dtype: z.enum(DATA_TYPES).optional(),
    nodata: nodata.nullable().optional(),
    scale: decimal.optional().describe('Written as a tag: factor from stored to real values.'),
    offset: decimal.optional().describe('Written as a tag: added after the scale.'),
    unit: z.string().min(1).max(64).optional().describe('Written as a tag.'),
  })
  .describe('One band of the output.');

/** The shape of a pipeline file. What fields mean together is checked in checks.ts. */
export const pipelineSchema = z
  .strictObject({
    $schema: z.string().optional(),
    pipeline: slug.describe("The pipeline's name."),
    version: slug.describe("The pipeline's version: a new one makes new outputs beside the old."),
    namespace: slug.optional().describe('Keeps identities apart, such as those of staging and production.'),
    bands: z
      .record(text(/^[A-Za-z_]\w*$/, 'a name of letters, digits and "_", a letter first'), bandSchema)
      .describe('The names that expressions use.'),
    expression: expression.optional().describe('Short for a lone output.'),
    outputs: z.array(outputSchema).min(1, { error: 'at least one output is wanted' }).max(256).optional(),
    mask: expression.optional().describe('Where true (not 0) the outputs have no data.'),
    color: z.literal('rgb').optional().describe('Three outputs are red, green and blue; alpha is added.'),
    dst_crs: z.string().min(1).optional().describe('"EPSG:n", WKT, or "source": the scene\'s own grid.'),
    resolution: decimal.optional().describe("Pixel size in the destination's units."),
    align: z.boolean().optional().describe('Snap the extent outward to multiples of the resolution.'),
    extent: z.array(decimal).length(4, { error: 'must be [minX, minY, maxX, maxY]' }).optional(),
    tms: z.literal('WebMercatorQuad').optional(),
    zoom: z.int().min(0).max(24).optional(),
    resampling: z.enum(RESAMPLINGS).optional(),
    tile_px: z.int().min(16).max(4096).multipleOf(16).optional().describe('Side of a block, px.'),
    grid: text(/^[1-9]\d{0,2}x[1-9]\d{0,2}$/, 'ROWSxCOLUMNS, such as "20x20", each from 1 to 999').optional(),
    dtype: z.enum(DATA_TYPES).optional(),
    nodata: nodata.nullable().optional(),
    compression: z.enum(COMPRESSIONS).optional(),
    overviews: z.enum(OVERVIEW_METHODS).optional(),
    datetime: z.string().min(1).optional().describe("Regular expression that finds the scene's date in a key."),
    trigger: z.string().min(1).optional().describe('Path of the object that is uploaded last: only that one rings.'),
  })
  .describe('A Tileonce pipeline.');

/** A pipeline file as it is written. */
export type PipelineFile = z.output<typeof pipelineSchema>;
export type BandFile = z.output<typeof bandSchema>;
export type OutputFile = z.output<typeof outputSchema>;

/** The JSON Schema of a pipeline file, for editors. */
export const pipelineJsonSchema = (): unknown => z.toJSONSchema(pipelineSchema, { io: 'input' });
