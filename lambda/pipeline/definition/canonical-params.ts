import type { JsonObject, JsonValue } from '../../identity/job-key.ts';
import { decimalText } from './decimal.ts';
import { PIXEL_VERSION } from './pixel-version.ts';
import type { BandDefinition, GridDefinition, OutputDefinition, Pipeline } from './pipeline.ts';

/** Version of the way from a pipeline to what is hashed. */
const ALGORITHM = 1;

/** A field of pipelines that came after the first release: hashed only where it is not its default. */
export interface LaterField {
  readonly name: string;
  /** Its value in a pipeline, as it is hashed. */
  readonly value: (pipeline: Pipeline) => JsonValue;
  readonly byDefault: JsonValue;
}

/** Fields go here when they are added, so that pipelines which do not use them keep their identity. */
const LATER_FIELDS: readonly LaterField[] = [];

/** Numbers are hashed as integers or decimal text: how a language prints a fraction must not matter. */
const hashedNumber = (value: number): JsonValue => (Number.isSafeInteger(value) ? value + 0 : decimalText(value));

const numberOrNull = (value: number | null): JsonValue => (value === null ? null : hashedNumber(value));

const hashedNodata = (value: number | null): JsonValue => {
  if (value === null) return null;
  return Number.isNaN(value) ? 'nan' : decimalText(value);
};

const hashedBand = (band: BandDefinition): JsonObject => ({
  path: band.path,
  band: band.band,
  resampling: band.resampling,
  nodata: hashedNodata(band.nodata),
  scale: numberOrNull(band.scale),
  offset: numberOrNull(band.offset),
  unscaled: band.unscaled,
});

const hashedOutput = (output: OutputDefinition): JsonObject => ({
  name: output.name,
  expression: output.expression,
  scale: numberOrNull(output.scale),
  offset: numberOrNull(output.offset),
  unit: output.unit,
});

const hashedGrid = (grid: GridDefinition): JsonObject => {
  switch (grid.kind) {
    case 'suggested':
      return { kind: grid.kind };
    case 'resolution':
      return { kind: grid.kind, resolution: hashedNumber(grid.resolution), align: grid.align };
    case 'extent':
      return {
        kind: grid.kind,
        extent: grid.extent.map(hashedNumber),
        resolution: numberOrNull(grid.resolution),
        align: grid.align,
      };
    case 'tms':
      break;
  }
  return { kind: grid.kind, tms: grid.tms, zoom: grid.zoom };
};

const sameJson = (a: JsonValue, b: JsonValue): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * What is hashed of a pipeline (docs/design.md, section 2): all of it but `trigger`, which decides when a scene starts and
 * not what comes out, and three members of our own: `algo`, `namespace` and `pixel_version`. How the file was written does
 * not matter: the order of its members, comments, spaces, a default that is spelt out. The order of the outputs does.
 *
 * @param pixelVersion the running code's.
 * @param laterFields for tests.
 */
export const canonicalParams = (
  pipeline: Pipeline,
  pixelVersion: number = PIXEL_VERSION,
  laterFields: readonly LaterField[] = LATER_FIELDS,
): JsonObject => {
  const later = laterFields
    .map(({ name, value, byDefault }) => ({ name, value: value(pipeline), byDefault }))
    .filter(({ value, byDefault }) => !sameJson(value, byDefault));
  return {
    algo: ALGORITHM,
    namespace: pipeline.namespace,
    pixel_version: pixelVersion,
    pipeline: pipeline.pipeline,
    version: pipeline.version,
    bands: Object.fromEntries(pipeline.bands.map((band) => [band.name, hashedBand(band)])),
    outputs: pipeline.outputs.map(hashedOutput),
    dtype: pipeline.dtype,
    nodata: hashedNodata(pipeline.nodata),
    mask: pipeline.mask,
    color: pipeline.color,
    dst_crs: pipeline.dstCrs,
    target: hashedGrid(pipeline.grid),
    tile_px: pipeline.tilePx,
    grid: `${pipeline.windows.rows}x${pipeline.windows.columns}`,
    compression: pipeline.compression,
    overviews: pipeline.overviews,
    datetime: pipeline.datetime,
    ...Object.fromEntries(later.map(({ name, value }) => [name, value])),
  };
};
