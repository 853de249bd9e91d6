import { windowsOf } from '../../identity/grid.ts';
import { OUTPUT_PREFIXES } from './output-object.ts';
import { assembleScene } from '../assemble-scene.ts';
import type { PipelineContext } from '../context.ts';
import { fanOut } from '../fan-out.ts';
import type { SourcePool } from '../source-pool.ts';
import { tileWindow } from '../tile-window.ts';
import type { ScratchMaker } from '../write-mosaic.ts';
import { ringOf, whyOutdated } from './ring-scene.ts';
import type { PlannedScene } from './select-scenes.ts';
import type { Finding } from './verify-scene.ts';

/** What work needs beside the stores. */
export interface WorkTools {
  readonly pool: SourcePool;
  readonly makeScratch: ScratchMaker;
}

export type ReplayOutcome =
  | { readonly kind: 'replayed'; readonly findings: readonly Finding[] }
  /** A delivery today would mean another scene, so none was made. */
  | { readonly kind: 'skipped'; readonly why: string };

/**
 * Delivers everything about a finished scene once more (its upload, a window, its assembly), through the code that
 * answers real deliveries, and proves that nothing changed: no object was written, replaced or removed (key, size,
 * ETag, time of change, number of versions), no row added.
 */
export const replayDelivery = async (
  context: PipelineContext,
  tools: WorkTools,
  { record, plan }: PlannedScene,
): Promise<ReplayOutcome> => {
  if (record.state !== 'ASSEMBLED') return { kind: 'skipped', why: `it is ${record.state}` };
  const outdated = await whyOutdated(context, plan, record.location);
  if (outdated !== null) return { kind: 'skipped', why: outdated };

  const before = await snapshot(context, plan.sceneJobId);
  const findings: Finding[] = [];
  const found = (message: string): void =>
    void findings.push({ kind: 'replay', sceneJobId: plan.sceneJobId, window: null, message });
  const { location } = record;
  const rung = await fanOut(context, ringOf(plan, location));
  if (rung.kind !== 'complete') found(`a repeated upload was answered "${rung.kind}", not "complete"`);
  const [window] = windowsOf(plan.windows);
  if (window !== undefined) {
    const { sources } = plan;
    const tiled = await tileWindow(context, tools.pool, { v: 1, plan, sources, location, ...window });
    if (tiled.kind !== 'committed') found(`a repeated window was answered "${tiled.kind}", not "committed"`);
  }
  const assembled = await assembleScene(context, tools.makeScratch, { v: 1, sceneJobId: plan.sceneJobId, location });
  if (assembled.kind !== 'committed') found(`a repeated assembly was answered "${assembled.kind}", not "committed"`);

  const after = await snapshot(context, plan.sceneJobId);
  for (const line of before.filter((known) => !after.includes(known))) found(`changed or gone: ${line}`);
  for (const line of after.filter((known) => !before.includes(known))) found(`new or changed: ${line}`);
  return { kind: 'replayed', findings };
};

/** All that an onlooker sees of a scene's outputs, a line each. */
const snapshot = async (context: PipelineContext, sceneJobId: string): Promise<string[]> => {
  const lines: string[] = [];
  for (const prefix of OUTPUT_PREFIXES) {
    const own = `${prefix}${sceneJobId}/`;
    for await (const { key, bytes, modifiedAt } of context.objects.list(own)) {
      const etag = (await context.objects.head(key))?.etag ?? 'none';
      lines.push(`${key}, ${bytes} bytes, ETag ${etag}, ${new Date(modifiedAt).toISOString()}`);
    }
    lines.push(`${own}: ${await context.objects.countVersions(own)} version(s)`);
  }
  lines.push(`${await context.manifest.countRows(sceneJobId)} row(s)`);
  return lines;
};
