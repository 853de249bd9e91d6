import type { Command } from 'commander';
import { QUEUES } from '../../lambda/gates/queue.ts';
import { leftOfPurge } from '../../lambda/pipeline/recovery/left-of-purge.ts';
import { type DeadGroup, groupLetters } from '../../lambda/pipeline/recovery/redrive.ts';
import { SCENE_STATES, type SceneStatus, sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import { allScenes, selectScenes } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { interruptible } from '../interrupt.ts';
import { type EngineFlags, addEngineOptions, positiveInteger } from '../operator/engine-options.ts';
import { type OperatorEngine, openOperatorEngine } from '../operator/operator-engine.ts';
import { ageOf, columnsOf, mapLegend, purgeNote, windowMap } from '../operator/scene-table.ts';

interface StatusFlags extends EngineFlags {
  readonly watch?: number | true;
}

const WATCH_SECONDS = 5;
/** Causes of death that are named; redrive names all. */
const SHOWN_GROUPS = 3;

/** `tileonce status`: what is done, under way, stuck. */
export const addStatus = (program: Command): void => {
  const command = program
    .command('status')
    .description('Show what is done, under way or stuck: scenes, windows, leases, dead letters')
    .argument('[scene]', 'one scene: its id, the first digits of it, or its name')
    .option('--watch [seconds]', 'show it again and again', positiveInteger);
  addEngineOptions(command).action(async (scene: string | undefined, flags: StatusFlags) => {
    await using engine = await openOperatorEngine(flags, 'look');
    if (flags.watch === undefined) {
      console.log(await report(engine, scene, flags.json === true));
      return;
    }
    const seconds = flags.watch === true ? WATCH_SECONDS : flags.watch;
    await interruptible(
      async (signal) => {
        while (!signal.aborted) {
          const text = await report(engine, scene, flags.json === true);
          console.log(process.stdout.isTTY ? `\u001B[2J\u001B[H${text}` : text);
          await engine.context.clock.sleep(seconds * 1000, signal);
        }
      },
      () => undefined,
    );
  });
};

const report = async (engine: OperatorEngine, scene: string | undefined, json: boolean): Promise<string> => {
  const { context, stalledAfterMs, isDead } = engine;
  const scenes = await allScenes(context.manifest);
  const chosen = scene === undefined ? scenes : selectScenes(scenes, [scene]);
  const letters = await engine.deadLetters.list();
  await engine.deadLetters.putBack(letters);
  const statuses: SceneStatus[] = [];
  const left = new Map<SceneStatus, number>();
  for (const { record } of chosen) {
    const status = await sceneStatus(context, record, { stalledAfterMs, isDead, deadLetters: letters });
    statuses.push(status);
    left.set(status, await leftOfPurge(context, status));
  }
  const deadGroups = groupLetters(letters);
  const deadLetters = Object.fromEntries(
    QUEUES.map((queue) => [queue, letters.filter((dead) => dead.queue === queue).length]),
  );
  const states = Object.fromEntries(
    SCENE_STATES.map((state) => [state, statuses.filter((status) => status.state === state).length]),
  );
  const leases = statuses.flatMap(({ oldestLease, plan }) =>
    oldestLease === null ? [] : [{ sceneJobId: plan.sceneJobId, ...oldestLease }],
  );
  const oldestLease = leases.toSorted((a, b) => a.claimedAt - b.claimedAt)[0] ?? null;
  if (json) {
    const dead = deadGroups.map(({ queue, error, letters: { length: count } }) => ({ queue, error, count }));
    return JSON.stringify({
      states,
      deadLetters,
      deadGroups: dead,
      oldestLease,
      scenes: statuses.map((status) => summaryOf(status, left.get(status) ?? 0)),
    });
  }
  const now = context.clock.now();
  const lines = [
    Object.entries(states)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => `${count} ${state}`)
      .join(', ') || 'no scenes',
    `dead letters: ${QUEUES.map((queue) => `${deadLetters[queue]} ${queue}`).join(', ')}`,
    ...deadGroups.slice(0, SHOWN_GROUPS).map(deadLine),
    oldestLease === null
      ? 'no live lease'
      : `oldest live lease: ${oldestLease.what} of ${oldestLease.sceneJobId.slice(0, 12)}, held for ${ageOf(now - oldestLease.claimedAt)}`,
  ];
  const shown = scene === undefined ? statuses.filter(({ state }) => state !== 'COMPLETE') : statuses;
  if (shown.length > 0) lines.push('', columnsOf(shown.map((status) => rowOf(status, left.get(status) ?? 0))));
  for (const status of scene === undefined ? [] : statuses) {
    if (status.record.reason !== null) lines.push('', status.record.reason);
    lines.push('', windowMap(status), mapLegend(status));
  }
  return lines.join('\n');
};

const deadLine = ({ queue, error, letters }: DeadGroup): string =>
  `  ${letters.length} in ${queue}: ${error ?? "no reason is known (see the function's log)"}`;

const rowOf = ({ plan, record, state, rows }: SceneStatus, left: number): string[] => [
  plan.sceneJobId.slice(0, 12),
  state,
  plan.sceneName,
  `${plan.pipeline.pipeline} ${plan.pipeline.version}`,
  `${rows}/${record.windowCount} windows`,
  purgeNote(left),
];

const summaryOf = ({ plan, record, state, rows, counts, windows, oldestLease }: SceneStatus, left: number) => ({
  scene: plan.sceneJobId,
  name: plan.sceneName,
  pipeline: plan.pipeline.pipeline,
  version: plan.pipeline.version,
  state,
  reason: record.reason,
  windows: record.windowCount,
  rows,
  ...(left === 0 ? {} : { objectsLeft: left }),
  counts,
  map: windows.map((row) => row.join(' ')),
  oldestLease,
});
