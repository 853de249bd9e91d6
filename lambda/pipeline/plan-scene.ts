import { SourceError, TileonceError } from '../errors.ts';
import { windowCount, windowGrid, windowRect, windowsOf } from '../identity/grid.ts';
import type { JsonObject, SceneJobId } from '../identity/job-key.ts';
import type { PlannedBand, PlannedSource, ScenePlan } from '../identity/plan.ts';
import { bytesPerSample } from '../raster/data-type.ts';
import { openSource } from '../raster/source/open-source.ts';
import type { RasterGrid } from '../raster/types.ts';
import { planOutputGrid } from '../raster/warp/plan-output-grid.ts';
import type { PipelineContext } from './context.ts';
import type { Pipeline } from './definition/pipeline.ts';
import { sceneDatetime } from './definition/scene-datetime.ts';
import { refuseTooLarge } from './grid-limits.ts';
import type { SceneSources } from './look-at-sources.ts';
import type { SourceLook } from './source-store.ts';

/** The most bytes that one PUT may carry on S3. */
const MAX_PUT_BYTES = 5 * 1024 ** 3;

export interface PlanRequest {
  readonly sceneJobId: SceneJobId;
  readonly sceneName: string;
  readonly location: string;
  readonly pipeline: Pipeline;
  readonly params: JsonObject;
  readonly sources: SceneSources;
}

/**
 * Plans a scene from its sources' headers alone; no pixel is read.
 *
 * @throws SourceError where a source cannot be used (no CRS, no geotransform, no such band, ...).
 * @throws TileonceError where the output grid cannot be made or is too large, or a window would be too large to write.
 */
export const planScene = async (
  context: Pick<PipelineContext, 'sources' | 'pixelVersion' | 'softwareVersion'>,
  request: PlanRequest,
  signal?: AbortSignal,
): Promise<ScenePlan> => {
  const { pipeline, sources } = request;
  const planned = sources.looks.map(pinsOf);
  const headers: SourceHeader[] = [];
  for (const source of planned) headers.push(await readHeader(context, request.location, source, signal));

  const bands = pipeline.bands.map((band): PlannedBand => {
    const source = sources.sourceOfBand.get(band.name);
    const header = source === undefined ? undefined : headers[source];
    if (source === undefined || header === undefined) throw new TypeError(`band ${band.name} has no source`);
    if (band.band > header.bandCount) {
      throw new SourceError(
        header.name,
        `has ${header.bandCount} band(s), but the pipeline's ${band.name} wants band ${band.band}`,
        {
          remedy: `set "band" of ${band.name} to 1..${header.bandCount}`,
        },
      );
    }
    return { ...band, source };
  });

  const grid = planOutputGrid(
    bands.map((band) => ({ name: band.name, grid: gridOf(headers, band.source) })),
    { dstCrs: pipeline.dstCrs, grid: pipeline.grid },
  );
  refuseTooLarge(grid, pipeline);
  const windows = windowGrid(grid, pipeline.tilePx, pipeline.windows);
  const plan: ScenePlan = {
    sceneJobId: request.sceneJobId,
    sceneName: request.sceneName,
    pixelVersion: context.pixelVersion,
    softwareVersion: context.softwareVersion,
    pipeline,
    params: request.params,
    sources: planned,
    bands,
    time: timeOf(pipeline, sources.looks, headers),
    grid,
    windows,
  };
  refuseOversizedWindows(plan);
  return plan;
};

interface SourceHeader {
  readonly name: string;
  readonly bandCount: number;
  readonly grid: RasterGrid;
  readonly dateTime: string | null;
}

/** The pins of a look: what the plan keeps of it. */
export const pinsOf = ({ bucket, key, versionToken, etag, versionId, bytes }: SourceLook): PlannedSource => ({
  bucket,
  key,
  versionToken,
  etag,
  versionId,
  bytes,
});

const readHeader = async (
  context: Pick<PipelineContext, 'sources'>,
  location: string,
  source: PlannedSource,
  signal: AbortSignal | undefined,
): Promise<SourceHeader> => {
  await using reader = await context.sources(location).open(source);
  const raster = await openSource(reader, signal);
  return { name: reader.name, bandCount: raster.bandCount, grid: raster.grid(), dateTime: raster.dateTime };
};

const gridOf = (headers: readonly SourceHeader[], source: number): RasterGrid => {
  const header = headers[source];
  if (header === undefined) throw new RangeError(`no source ${source}`);
  return header.grid;
};

const timeOf = (
  pipeline: Pipeline,
  looks: readonly SourceLook[],
  headers: readonly SourceHeader[],
): ScenePlan['time'] => {
  const found = sceneDatetime({
    key: looks[0]?.key ?? '',
    pattern: pipeline.datetime,
    tiffDateTime: headers.find(({ dateTime }) => dateTime !== null)?.dateTime ?? null,
    uploaded: new Date(Math.max(...looks.map(({ uploadedAt }) => uploadedAt))),
  });
  return { datetime: found.datetime, from: found.source };
};

const refuseOversizedWindows = (plan: ScenePlan): void => {
  const { pipeline, windows } = plan;
  const bytesPerPixel = bytesPerSample(pipeline.dtype) * (pipeline.outputs.length + (pipeline.color === 'rgb' ? 1 : 0));
  for (const window of windowsOf(windows)) {
    const { width, height } = windowRect(windows, window);
    // Overviews add a third.
    if ((width * height * bytesPerPixel * 4) / 3 <= MAX_PUT_BYTES) continue;
    throw new TileonceError(
      `a window of ${width} x ${height} px with ${pipeline.outputs.length} output(s) could exceed the 5 GB that one PUT can carry`,
      { remedy: `ask for more windows than ${windowCount(windows)}, or fewer outputs` },
    );
  }
};
