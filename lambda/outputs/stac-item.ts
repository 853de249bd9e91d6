import type { SceneTime } from '../identity/plan.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import type { BandStatistics, RasterGrid, RasterSize } from '../raster/types.ts';
import { footprint, projectedBox } from './footprint.ts';
import { stacBands } from './stac-bands.ts';
import type { ItemProperties, StacAsset, StacItem, StacLink } from './stac-types.ts';

const EXTENSIONS = {
  projection: 'https://stac-extensions.github.io/projection/v2.0.0/schema.json',
  processing: 'https://stac-extensions.github.io/processing/v1.2.0/schema.json',
  raster: 'https://stac-extensions.github.io/raster/v2.0.0/schema.json',
  file: 'https://stac-extensions.github.io/file/v2.1.0/schema.json',
} as const;

const COG_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';
const GEOTIFF_TYPE = 'image/tiff; application=geotiff';

/** An object that the scene was made from. */
export interface ItemSource {
  readonly key: string;
  /** Where a reader of the item finds it: relative to the item, or the object's own address. */
  readonly href: string;
  /** What changes when its bytes change. */
  readonly token: string;
  /** Names of the bands that come from it. */
  readonly bands: readonly string[];
}

/** A stored output. */
export interface OutputFile {
  readonly bytes: number;
  /** Lower-case hex SHA-256 of its bytes. */
  readonly sha256: string;
}

export interface SceneItemInput {
  readonly sceneJobId: string;
  readonly sceneName: string;
  readonly pipeline: Pipeline;
  readonly grid: RasterGrid;
  readonly time: SceneTime;
  readonly sources: readonly ItemSource[];
  /** Windows by what became of them. */
  readonly windows: { readonly total: number; readonly written: number; readonly empty: number };
  /** Null: every window is EMPTY. */
  readonly mosaic: OutputFile | null;
  readonly preview: (OutputFile & RasterSize) | null;
  /** One entry per output of the pipeline, over the whole scene; null: no valid pixel. */
  readonly statistics: readonly (BandStatistics | null)[];
  readonly software: { readonly name: string; readonly version: string };
}

/**
 * The STAC 1.1 Item of a finished scene. A pure function of the plan and of what was written: the same scene gives the
 * same item, whoever makes it and whenever. Hrefs of assets are relative to the item.
 */
export function sceneItem(input: SceneItemInput): StacItem {
  const area = footprint(input.grid);
  const empty = input.mosaic === null;
  return {
    type: 'Feature',
    stac_version: '1.1.0',
    stac_extensions: [
      EXTENSIONS.projection,
      EXTENSIONS.processing,
      ...(empty ? [] : [EXTENSIONS.raster, EXTENSIONS.file]),
    ],
    id: itemId(input),
    geometry: area === null ? null : area.geometry,
    ...(area === null ? {} : { bbox: area.bbox }),
    properties: properties(input),
    links: input.sources.map(sourceLink),
    assets: assets(input),
  };
}

/** The item's bytes: UTF-8 JSON in the order of fields above, two spaces of indent, one newline at the end. */
export function serialiseItem(item: StacItem): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(item, null, 2)}\n`);
}

/** `{scene}-{pipeline}-{version}-{first 12 of the job id}`; what would break a path or a URL becomes `-`. */
function itemId({ sceneName, pipeline, sceneJobId }: SceneItemInput): string {
  const readable = `${sceneName}-${pipeline.pipeline}-${pipeline.version}`.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  return `${readable}-${sceneJobId.slice(0, 12)}`;
}

function properties(input: SceneItemInput): ItemProperties {
  const { pipeline, grid, windows, software } = input;
  return {
    datetime: input.time.datetime,
    'proj:code': grid.crs.code,
    'proj:shape': [grid.height, grid.width],
    'proj:transform': affine(grid, grid),
    'proj:bbox': projectedBox(grid),
    'processing:software': { [software.name]: software.version },
    'processing:version': pipeline.version,
    'processing:lineage': lineage(pipeline),
    'processing:expression': {
      format: software.name,
      expression: Object.fromEntries(pipeline.outputs.map((output) => [output.name, output.expression])),
    },
    'tileonce:job_id': input.sceneJobId,
    'tileonce:datetime_source': input.time.from,
    'tileonce:windows': windows.total,
    'tileonce:windows_written': windows.written,
    'tileonce:windows_empty': windows.empty,
    'tileonce:empty': input.mosaic === null,
    ...(grid.crs.code === null ? { 'tileonce:proj4': grid.crs.proj4 } : {}),
  };
}

function lineage(pipeline: Pipeline): string {
  const outputs = pipeline.outputs.map((output) => `${output.name} = ${output.expression}`).join('; ');
  const masked = pipeline.mask === null ? '' : `, no data where ${pipeline.mask}`;
  const grid = pipeline.dstCrs === 'source' ? "on the scene's own grid" : `warped to ${pipeline.dstCrs}`;
  return `${pipeline.pipeline} ${pipeline.version}: ${outputs}${masked}, ${grid}`;
}

function sourceLink(source: ItemSource): StacLink {
  return {
    rel: 'derived_from',
    href: source.href,
    type: GEOTIFF_TYPE,
    title: source.key,
    'tileonce:version_token': source.token,
    'tileonce:bands': source.bands,
  };
}

function assets(input: SceneItemInput): Record<string, StacAsset> {
  const { mosaic, preview } = input;
  const found: Record<string, StacAsset> = {};
  if (mosaic !== null) {
    found['mosaic'] = {
      href: './scene.tif',
      title: 'Scene mosaic',
      type: COG_TYPE,
      roles: ['data'],
      bands: stacBands(input.pipeline, input.grid, input.statistics),
      ...fileFields(mosaic),
    };
  }
  if (preview !== null) {
    found['preview'] = {
      href: './preview.png',
      title: 'Preview',
      type: 'image/png',
      roles: ['thumbnail', 'overview'],
      // Over the item's own fields, which are the mosaic's: the same extent in larger pixels.
      'proj:shape': [preview.height, preview.width],
      'proj:transform': affine(input.grid, preview),
      ...fileFields(preview),
    };
  }
  return found;
}

/** SHA-256 as a multihash: function code 12, length 20, both hex. Source: the file extension, multiformats.io. */
const fileFields = (file: OutputFile): Pick<StacAsset, 'file:size' | 'file:checksum'> => ({
  'file:size': file.bytes,
  'file:checksum': `1220${file.sha256}`,
});

/** Pixel → CRS of a picture of `size` that covers the whole grid: GDAL's numbers in the order of the matrix's rows. */
function affine(grid: RasterGrid, size: RasterSize): number[] {
  const gt = grid.geotransform;
  const perColumn = grid.width / size.width;
  const perRow = grid.height / size.height;
  return [gt[1] * perColumn, gt[2] * perRow, gt[0], gt[4] * perColumn, gt[5] * perRow, gt[3]].map((term) => term + 0);
}
