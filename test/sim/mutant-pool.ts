import type { PlannedSource } from '../../lambda/identity/plan.ts';
import { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import type { SourceStores } from '../../lambda/pipeline/source-store.ts';
import type { RasterSource } from '../../lambda/raster/source/open-source.ts';
import { rasterOf } from './scene.ts';

/** Reads whatever stands under the key now. */
export class UnpinnedPool extends SourcePool {
  readonly #stores: SourceStores;
  readonly #codeVersion: number;

  constructor(stores: SourceStores, codeVersion: number) {
    super(stores, { capacity: 1, cacheBytes: 0 });
    this.#stores = stores;
    this.#codeVersion = codeVersion;
  }

  override async get(location: string, { bucket, key, versionToken }: PlannedSource): Promise<RasterSource> {
    const found = await this.#stores(location).look(bucket, key);
    return rasterOf(found?.versionToken ?? versionToken, this.#codeVersion);
  }
}
