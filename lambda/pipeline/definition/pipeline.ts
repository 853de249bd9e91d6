import type { Compression, DataType, OverviewMethod, Resampling } from '../../raster/types.ts';

/** One band name of the expression and where its pixels come from. */
export interface BandDefinition {
  readonly name: string;
  /** Path template with captures (`{scene}/R10m/{id}_B04_10m.tif`), or null for a band of the one uploaded file. */
  readonly path: string | null;
  /** Band number inside the file, from 1. */
  readonly band: number;
  readonly resampling: Resampling;
  /** Over what the file says; null: what the file says. Compared on raw values. */
  readonly nodata: number | null;
  readonly scale: number | null;
  readonly offset: number | null;
  /** True: the expression sees raw values, scale and offset are not applied. */
  readonly unscaled: boolean;
}

/** One band of the output. */
export interface OutputDefinition {
  readonly name: string;
  readonly expression: string;
  readonly scale: number | null;
  readonly offset: number | null;
  readonly unit: string | null;
}

/** How the output's extent and resolution are chosen. Numbers in the destination CRS's units. */
export type GridDefinition =
  | { readonly kind: 'suggested' }
  | { readonly kind: 'resolution'; readonly resolution: number; readonly align: boolean }
  | {
      readonly kind: 'extent';
      /** minX, minY, maxX, maxY. */
      readonly extent: readonly [number, number, number, number];
      /** Null: the suggested resolution. */
      readonly resolution: number | null;
      readonly align: boolean;
    }
  | { readonly kind: 'tms'; readonly tms: 'WebMercatorQuad'; readonly zoom: number };

/** A pipeline file after validation: every default filled in, everything trusted from here on. */
export interface Pipeline {
  readonly pipeline: string;
  readonly version: string;
  readonly namespace: string;
  readonly bands: readonly BandDefinition[];
  /** Every output shares this type and nodata: a TIFF has one of each. */
  readonly outputs: readonly OutputDefinition[];
  readonly dtype: DataType;
  /** NaN for `nan`, null for none. */
  readonly nodata: number | null;
  /** True where the mask expression is true: nodata. */
  readonly mask: string | null;
  readonly color: 'rgb' | null;
  /** `EPSG:n`, or `source`: the scene's own grid. */
  readonly dstCrs: string;
  readonly grid: GridDefinition;
  readonly tilePx: number;
  /** Windows: rows x columns. */
  readonly windows: { readonly rows: number; readonly columns: number };
  readonly compression: Compression;
  readonly overviews: OverviewMethod;
  /** Regular expression over the key, or null: the built-in rule. */
  readonly datetime: string | null;
  /** The path of the object that is uploaded last, or null: every band rings. */
  readonly trigger: string | null;
}
