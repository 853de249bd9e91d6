import { candidatesOf } from '../look-at-sources.ts';
import { TileonceError } from '../../errors.ts';
import type { PipelineContext } from '../context.ts';
import { canonicalJson } from '../../identity/job-key.ts';
import { canonicalParams } from '../definition/canonical-params.ts';
import type { Pipeline } from '../definition/pipeline.ts';
import { siblings } from '../definition/scene-siblings.ts';
import { type FanOutOutcome, type FanOutRequest, fanOut } from '../fan-out.ts';
import { ringOf } from './ring-scene.ts';
import type { PlannedScene } from './select-scenes.ts';

/** What is done about a scene's outputs that are there already. None is the default: each is right for another purpose. */
export const BACKFILL_POLICIES = ['skip', 'new-key', 'overwrite'] as const;
export type BackfillPolicy = (typeof BACKFILL_POLICIES)[number];

/**
 * About what a window costs on AWS at list prices (us-east-1): 2 s of a 1,769 MB arm64 function, four writes to
 * DynamoDB, one PUT, two SQS requests. US dollars.
 */
const USD_PER_WINDOW = 0.000_06;

export interface ScenePlanned {
  readonly sceneJobId: string;
  readonly name: string;
  readonly windows: number;
  readonly present: number;
  readonly missing: number;
  /** Windows that will be computed. */
  readonly toDo: number;
}

export interface BackfillPlan {
  readonly policy: BackfillPolicy;
  readonly scenes: readonly ScenePlanned[];
  readonly jobs: number;
  readonly present: number;
  readonly missing: number;
  /** US dollars on AWS, by a window's average. */
  readonly estimatedUsd: number;
}

/** Counts what a backfill would do; changes nothing. */
export const planBackfill = async (
  context: Pick<PipelineContext, 'manifest'>,
  policy: BackfillPolicy,
  scenes: readonly PlannedScene[],
): Promise<BackfillPlan> => {
  const planned: ScenePlanned[] = [];
  for (const { record, plan } of scenes) {
    const present = await context.manifest.countRows(record.sceneJobId);
    const missing = Math.max(0, record.windowCount - present);
    planned.push({
      sceneJobId: record.sceneJobId,
      name: plan.sceneName,
      windows: record.windowCount,
      present,
      missing,
      toDo: policy === 'skip' ? missing : record.windowCount,
    });
  }
  const sum = (pick: (scene: ScenePlanned) => number): number =>
    planned.reduce((total, scene) => total + pick(scene), 0);
  const jobs = sum(({ toDo }) => toDo);
  return {
    policy,
    scenes: planned,
    jobs,
    present: sum(({ present }) => present),
    missing: sum(({ missing }) => missing),
    estimatedUsd: Math.round(jobs * USD_PER_WINDOW * 10_000) / 10_000,
  };
};

/**
 * The doorbell of a scene under a new version of its pipeline: outputs land beside the old. A scene of the new version
 * itself that is not finished is rung for again: an interrupted backfill goes on.
 *
 * @throws TileonceError where the version is not a new one, or the pipeline is another.
 */
export const newKeyRing = ({ record, plan }: PlannedScene, pipeline: Pipeline): FanOutRequest => {
  if (pipeline.pipeline !== plan.pipeline.pipeline) {
    throw new TileonceError(
      `scene ${plan.sceneName} was made by pipeline ${plan.pipeline.pipeline}, not by ${pipeline.pipeline}`,
      { remedy: 'name a new version of the same pipeline, or choose the scenes of this one' },
    );
  }
  if (pipeline.version === plan.pipeline.version && !isUnfinishedOf({ record, plan }, pipeline)) {
    throw new TileonceError(
      `version ${pipeline.version} of pipeline ${pipeline.pipeline} has made ${plan.sceneName} already`,
      {
        remedy: 'raise "version" in the pipeline file: new-key writes under new keys only',
      },
    );
  }
  const [source] = plan.sources;
  const found = source === undefined ? null : siblings(pipeline, source.key);
  if (source === undefined || found === null) {
    throw new TileonceError(
      `${source?.key ?? plan.sceneName} is no band of pipeline ${pipeline.pipeline} ${pipeline.version}`,
      {
        remedy: 'run the scenes of the new paths instead',
      },
    );
  }
  return {
    location: record.location,
    pipeline,
    candidates: { ...candidatesOf(source.bucket, found), sceneName: plan.sceneName },
  };
};

/** True for a scene that this very version began and has not finished. */
const isUnfinishedOf = ({ record, plan }: PlannedScene, pipeline: Pipeline): boolean =>
  record.state !== 'ASSEMBLED' &&
  canonicalJson(canonicalParams(pipeline, plan.pixelVersion)) === canonicalJson(plan.params);

/**
 * Of scenes chosen for a new version those that it has still to make, each once: a name means the old scene and, where a
 * backfill was interrupted, the new one too.
 *
 * @throws TileonceError where one cannot be made by it, or where it has made them all already.
 */
export const newKeyScenes = (scenes: readonly PlannedScene[], pipeline: Pipeline): PlannedScene[] => {
  const ofVersion = (scene: PlannedScene): boolean =>
    scene.plan.pipeline.pipeline === pipeline.pipeline && scene.plan.pipeline.version === pipeline.version;
  const uploadOf = ({ record, plan }: PlannedScene): string =>
    JSON.stringify([record.location, plan.sources.map(({ bucket, key, versionToken }) => [bucket, key, versionToken])]);
  const made = scenes.filter((scene) => ofVersion(scene) && scene.record.state === 'ASSEMBLED');
  const done = new Set(made.map(uploadOf));
  const left = new Map<string, PlannedScene>();
  for (const scene of scenes) {
    if (!done.has(uploadOf(scene)) && (ofVersion(scene) || !left.has(uploadOf(scene))))
      left.set(uploadOf(scene), scene);
  }
  // A finished one of the version alone is refused, with its name.
  if (left.size === 0) for (const scene of made) newKeyRing(scene, pipeline);
  return [...left.values()];
};

/**
 * Rings for scenes as a person: at most `concurrency` of them under way at once, so that live ingest is not queued
 * behind the whole archive. Safe to repeat: what is done costs one refused claim.
 *
 * @param settled waits until a scene that was rung for has come to its end.
 */
export const ringAll = async (
  context: PipelineContext,
  rings: readonly FanOutRequest[],
  options: {
    readonly concurrency: number;
    readonly settled: (sceneJobId: string) => Promise<void>;
    readonly onRung?: (ring: FanOutRequest, outcome: FanOutOutcome) => void;
  },
  signal?: AbortSignal,
): Promise<FanOutOutcome[]> => {
  const outcomes: FanOutOutcome[] = [];
  const rest = rings.entries();
  const work = async (): Promise<void> => {
    for (const [index, ring] of rest) {
      signal?.throwIfAborted();
      const outcome = await fanOut(context, { ...ring, revive: true }, signal);
      outcomes[index] = outcome;
      options.onRung?.(ring, outcome);
      if (outcome.kind === 'planned' || outcome.kind === 'resumed') await options.settled(outcome.sceneJobId);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return outcomes;
};

/** The rings of a `skip` backfill: each scene as it was planned. */
export const sameKeyRings = (scenes: readonly PlannedScene[]): FanOutRequest[] =>
  scenes.map(({ record, plan }) => ringOf(plan, record.location));
