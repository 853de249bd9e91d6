import type { PlannedSource } from '../identity/plan.ts';
import type { RangeReader } from '../raster/types.ts';

/** A source object as it is now. */
export interface SourceLook extends PlannedSource {
  /** When it was uploaded (a file: last changed), ms since the epoch. */
  readonly uploadedAt: number;
}

/** Where scenes' objects are read; every read is held to the plan's pins. */
export interface SourceStore {
  /** A HEAD; null where there is no such object. */
  look(bucket: string, key: string): Promise<SourceLook | null>;
  /**
   * Opens exactly the planned object.
   *
   * @throws SourceChangedError where another one stands there now, also from later reads (S3: a 412). None of its pixels
   * was used.
   */
  open(source: PlannedSource): Promise<RangeReader & AsyncDisposable>;
}

/** Finds the source store of a message's location (embedded: a scene's folder; AWS: always the same store). */
export type SourceStores = (location: string) => SourceStore;
