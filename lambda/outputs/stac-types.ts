import type { MultiPolygon, Polygon } from 'geojson';

import type { DataType } from '../raster/types.ts';

/** A STAC 1.1.0 Item as this project writes it: no field that varies by attempt, machine or time of running. */
export interface StacItem {
  readonly type: 'Feature';
  readonly stac_version: '1.1.0';
  readonly stac_extensions: readonly string[];
  readonly id: string;
  /** WGS84; null (and no bbox) where no part of the grid lies on the globe. */
  readonly geometry: Polygon | MultiPolygon | null;
  /** West, south, east, north; west > east across the antimeridian. */
  readonly bbox?: readonly [number, number, number, number];
  readonly properties: ItemProperties;
  readonly links: readonly StacLink[];
  readonly assets: Readonly<Record<string, StacAsset>>;
}

export interface ItemProperties {
  readonly datetime: string;
  readonly 'proj:code': string | null;
  /** Rows, columns. */
  readonly 'proj:shape': readonly [number, number];
  /** Row-major affine matrix without its last row. */
  readonly 'proj:transform': readonly number[];
  readonly 'proj:bbox': readonly number[];
  readonly 'processing:software': Readonly<Record<string, string>>;
  readonly 'processing:version': string;
  readonly 'processing:lineage': string;
  readonly 'processing:expression': { readonly format: string; readonly expression: unknown };
  readonly 'tileonce:job_id': string;
  readonly 'tileonce:datetime_source': 'name' | 'tiff' | 'upload';
  readonly 'tileonce:windows': number;
  readonly 'tileonce:windows_written': number;
  readonly 'tileonce:windows_empty': number;
  /** True: no window has a valid pixel, so there is no mosaic and no preview. */
  readonly 'tileonce:empty': boolean;
  /** What the grid's CRS is, where no authority has a code for it. */
  readonly 'tileonce:proj4'?: string;
}

export interface StacLink {
  readonly rel: string;
  readonly href: string;
  readonly type: string;
  readonly title: string;
  readonly 'tileonce:version_token': string;
  readonly 'tileonce:bands': readonly string[];
}

export interface StacAsset {
  readonly href: string;
  readonly title: string;
  readonly type: string;
  readonly roles: readonly string[];
  readonly bands?: readonly StacBand[];
  readonly 'proj:shape'?: readonly [number, number];
  readonly 'proj:transform'?: readonly number[];
  readonly 'file:size': number;
  readonly 'file:checksum': string;
}

export interface StacBand {
  readonly name: string;
  readonly description?: string;
  readonly data_type: DataType;
  readonly nodata?: number | 'nan' | 'inf' | '-inf';
  readonly unit?: string;
  readonly statistics?: BandSummary;
  readonly 'raster:sampling': 'area';
  readonly 'raster:scale'?: number;
  readonly 'raster:offset'?: number;
}

/** Over the stored values of the valid pixels; `count` is their number. What float64 cannot hold is left out. */
export interface BandSummary {
  readonly minimum: number;
  readonly maximum: number;
  readonly mean?: number;
  readonly stddev?: number;
  readonly count: number;
  readonly valid_percent: number;
}
