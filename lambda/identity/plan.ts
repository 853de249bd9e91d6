import type { BandDefinition, Pipeline } from '../pipeline/definition/pipeline.ts';
import type { RasterGrid } from '../raster/types.ts';
import type { WindowGrid } from './grid.ts';
import type { JsonObject, SceneJobId } from './job-key.ts';

/** A source object as it was planned: every later read is held to these pins. */
export interface PlannedSource {
  readonly bucket: string;
  readonly key: string;
  readonly versionToken: string;
  /** Sent as `If-Match` (bare); in the embedded engine the file's SHA-256. */
  readonly etag: string;
  /** A real version id, or null. */
  readonly versionId: string | null;
  readonly bytes: number;
}

/** One band of the expression, tied to its source. */
export interface PlannedBand extends BandDefinition {
  /** Index into the plan's sources. */
  readonly source: number;
}

/** Where a scene's time came from. */
export interface SceneTime {
  /** ISO 8601, UTC. */
  readonly datetime: string;
  readonly from: 'name' | 'tiff' | 'upload';
}

/**
 * Everything that any later step needs to know of a scene, decided once (docs/design.md, section 3): nobody plans again.
 * Plain data, stored as JSON.
 */
export interface ScenePlan {
  readonly sceneJobId: SceneJobId;
  /** What people call the scene: from its path, for the item's id. */
  readonly sceneName: string;
  readonly pixelVersion: number;
  /** Version of the code that planned the scene, as its item tells. */
  readonly softwareVersion: string;
  readonly pipeline: Pipeline;
  /** What was hashed. */
  readonly params: JsonObject;
  readonly sources: readonly PlannedSource[];
  readonly bands: readonly PlannedBand[];
  readonly time: SceneTime;
  /** The whole scene's output grid. */
  readonly grid: RasterGrid;
  readonly windows: WindowGrid;
}
