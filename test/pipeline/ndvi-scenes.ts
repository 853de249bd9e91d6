import { join } from 'node:path';
import { SHARED_DATA } from '../support/requirements.ts';

/** What a pipeline file says of a band. */
interface BandFields {
  readonly suffix?: string;
  readonly band?: number;
  readonly resampling?: string;
  readonly nodata?: number;
  readonly scale?: string;
  readonly offset?: string;
  readonly unscaled?: boolean;
}

/** One band of a scene: where it lies, and how a pipeline finds and reads it. */
export interface SceneBand {
  readonly file: string;
  readonly fields: BandFields;
}

/** A file among the scenes. */
export const sceneFile = (name: string): string => join(SHARED_DATA, 'scenes', name);

export interface NdviScene {
  readonly name: string;
  readonly red: SceneBand;
  readonly nir: SceneBand;
}

/** Two files whose names differ in their ends. */
const pair = (name: string, stem: string, red: string, nir: string, more: BandFields = {}): NdviScene => ({
  name,
  red: { file: sceneFile(stem + red), fields: { suffix: red, ...more } },
  nir: { file: sceneFile(stem + nir), fields: { suffix: nir, ...more } },
});

/** Two bands of one file. */
const oneFile = (name: string, file: string, red: number, nir: number): NdviScene => ({
  name,
  red: { file: sceneFile(file), fields: { band: red } },
  nir: { file: sceneFile(file), fields: { band: nir } },
});

/** MODIS reflectance on a sinusoidal grid that has no code; its scale tag is a divisor, so the pipeline sets it aside. */
export const MODIS = pair('modis', 'modis_myd13a1_', 'red.tif', 'nir.tif', { unscaled: true });

/** Real scenes with a red and a near infrared band: several sensors, types, CRSs and nodata values. */
export const NDVI_SCENES: readonly NdviScene[] = [
  pair('sentinel-2', 's2_t29rkh_', 'B04.tif', 'B08.tif'),
  pair('landsat 5', 'l5_nbar_', 'red_B30.tif', 'nir_B40.tif'),
  oneFile('landsat 7', 'l7_etm_olinda_6band.tif', 3, 4),
  pair('landsat 8', 'l8_elkton_', 'red_B4.tif', 'nir_B5.tif'),
  pair('landsat 8 surface reflectance, raw', 'l8_sr_colombia_', 'red_B4.tif', 'nir_B5.tif'),
  pair('landsat 8 surface reflectance, scaled', 'l8_sr_colombia_', 'red_B4.tif', 'nir_B5.tif', {
    nodata: 0,
    scale: '0.0000275',
    offset: '-0.2',
  }),
  oneFile('naip', 'naip_va_rgbn.tif', 1, 4),
  MODIS,
];

/** A pipeline file that makes a scene's NDVI. */
export const ndviPipeline = ({ red, nir }: NdviScene, more: Readonly<Record<string, unknown>>): unknown => ({
  pipeline: 'ndvi',
  version: '1',
  bands: { red: red.fields, nir: nir.fields },
  expression: '(nir - red) / (nir + red)',
  ...more,
});
