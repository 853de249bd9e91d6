import { canonicalParams } from '../../lambda/pipeline/definition/canonical-params.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import { sceneJobId, type SceneJobId } from '../../lambda/identity/job-key.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import type { PlannedSource } from '../../lambda/identity/plan.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import type { SourceStores } from '../../lambda/pipeline/source-store.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { type RasterSource, openSource } from '../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../support/bytes-reader.ts';
import { cogImage } from '../support/cog-images.ts';
import { Random } from './random.ts';

/** A tiny NDVI scene of 32 x 32 px in 16 px blocks: 2 x 2 windows. Nothing is compressed, for speed alone. */
const SIZE = 32;
export const WINDOWS = ['0000_0000', '0000_0001', '0001_0000', '0001_0001'] as const;
export const BUCKET = 'uploads';
const NAME = 'T31UDQ_20260101T104429';
export const KEYS = { B04: `${NAME}_B04.tif`, B08: `${NAME}_B08.tif` } as const;
export type BandName = keyof typeof KEYS;
export const BANDS = ['B04', 'B08'] as const satisfies readonly BandName[];

export const PIPELINE = parsePipeline(
  JSON.stringify({
    pipeline: 'ndvi',
    version: '1',
    bands: { B04: { suffix: '_B04.tif' }, B08: { suffix: '_B08.tif' } },
    expression: '(B08 - B04) / (B08 + B04)',
    dst_crs: 'source',
    tile_px: 16,
    compression: 'none',
  }),
  'simulated.json',
);

/** What may stand under a band's key. */
export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly token: string;
}

/** @param hole the block at the lower right holds nothing but nodata: an EMPTY window. */
const bandBytes = (seed: number, hole: boolean, added: number): Uint8Array<ArrayBuffer> => {
  const random = new Random(seed);
  const pixels = Uint16Array.from({ length: SIZE * SIZE }, (_, i) =>
    hole && i % SIZE >= 16 && i >= 16 * SIZE ? 0 : 1 + random.below(9_000) + added,
  );
  const image = { width: SIZE, height: SIZE, dataType: 'uint16', nodata: 0, compression: 'none' } as const;
  return encodeCog(cogImage({ ...image, bands: [pixels] }));
};

const content = (bytes: Uint8Array<ArrayBuffer>): Content => ({ bytes, token: sha256Hex(bytes) });

/** Two uploads of each band; the second of B08 has no empty window. */
const SEEDS: Readonly<Record<BandName, readonly { seed: number; hole: boolean }[]>> = {
  B04: [
    { seed: 1, hole: false },
    { seed: 2, hole: false },
  ],
  B08: [
    { seed: 3, hole: true },
    { seed: 4, hole: false },
  ],
};
export const CONTENTS: Readonly<Record<BandName, readonly Content[]>> = {
  B04: SEEDS.B04.map(({ seed, hole }) => content(bandBytes(seed, hole, 0))),
  B08: SEEDS.B08.map(({ seed, hole }) => content(bandBytes(seed, hole, 0))),
};

/** What the code of each pixel version makes of a source: version 2 adds one to every pixel of B04. */
export const CODE_VERSIONS = [1, 2] as const;
const rasters = new Map<string, RasterSource>();
const rasterName = (token: string, codeVersion: number): string => `${token} ${codeVersion}`;

/** Opens every source once and decodes all of it, so that no simulation's steps depend on what another has read. */
export const warmUp = async (): Promise<void> => {
  if (rasters.size > 0) return;
  for (const band of BANDS) {
    for (const [i, { token, bytes }] of CONTENTS[band].entries()) {
      const made = SEEDS[band][i];
      for (const version of CODE_VERSIONS) {
        const altered =
          band === 'B04' && made !== undefined && version > 1 ? bandBytes(made.seed, made.hole, 1) : bytes;
        const raster = await openSource(new BytesReader(KEYS[band], altered), undefined, { cacheBytes: 1 << 20 });
        await raster.readWindow([1], { x: 0, y: 0, width: SIZE, height: SIZE }, 0);
        rasters.set(rasterName(token, version), raster);
      }
    }
  }
};

/** A source's pixels as a code version reads them. */
export const rasterOf = (token: string, codeVersion: number): RasterSource => {
  const raster = rasters.get(rasterName(token, codeVersion));
  if (raster === undefined) throw new RangeError(`no source of token ${token}`);
  return raster;
};

/** The job id of a scene of these two objects, as code of `pixelVersion` plans it. */
export const sceneIdOf = (tokens: Readonly<Record<BandName, string>>, pixelVersion: number): SceneJobId => {
  const name = `${tokens.B04} ${tokens.B08} ${pixelVersion}`;
  let id = sceneIds.get(name);
  if (id === undefined) {
    const sources = BANDS.map((band) => ({ bucket: BUCKET, key: KEYS[band], versionToken: tokens[band] }));
    id = sceneJobId(sources, canonicalParams(PIPELINE, pixelVersion));
    sceneIds.set(name, id);
  }
  return id;
};
const sceneIds = new Map<string, SceneJobId>();

/**
 * A worker's sources as one code version sees them. Each look costs one pinned read; parsing and decoding are done once
 * for all simulations.
 */
export class SimSourcePool extends SourcePool {
  readonly #stores: SourceStores;
  readonly #codeVersion: number;

  constructor(stores: SourceStores, codeVersion: number) {
    super(stores, { capacity: 1, cacheBytes: 0 });
    this.#stores = stores;
    this.#codeVersion = codeVersion;
  }

  override async get(location: string, source: PlannedSource): Promise<RasterSource> {
    await using reader = await this.#stores(location).open(source);
    await reader.read([{ offset: 0, length: 16 }]);
    return rasterOf(source.versionToken, this.#codeVersion);
  }
}
