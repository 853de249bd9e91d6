import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { OnlyReadError } from '../../lambda/errors.ts';
import {
  type PlannedRepair,
  type RepairReport,
  plannedRepair,
  repairScene,
  repairText,
} from '../../lambda/pipeline/recovery/repair-scene.ts';
import { type ReplayOutcome, replayDelivery } from '../../lambda/pipeline/recovery/replay-delivery.ts';
import { sceneStatus } from '../../lambda/pipeline/recovery/scene-status.ts';
import { type PlannedScene, allScenes, selectScenes } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { ownerlessFindings } from '../../lambda/pipeline/recovery/stray-findings.ts';
import { type Finding, verifyScene } from '../../lambda/pipeline/recovery/verify-scene.ts';
import { interruptible } from '../interrupt.ts';
import { DRY_RUN, type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { type OperatorEngine, openOperatorEngine } from '../operator/operator-engine.ts';
import { lettersOf, whenSettled } from '../operator/when-settled.ts';

interface VerifyFlags extends EngineFlags {
  readonly quick?: boolean;
  readonly replay: boolean;
  readonly repair?: boolean;
  readonly dryRun?: boolean;
}

/** `tileonce verify`: is everything as the ledger says, and does a repeated delivery change nothing? */
export const addVerify = (program: Command): void => {
  const command = program
    .command('verify')
    .description('Hold the ledger against the objects, and prove that a repeated delivery changes nothing')
    .argument('[scene]', 'one scene: its id, the first digits of it, or its name')
    .option('--quick', 'believe the checksums that the store keeps; what has none is read')
    .option('--no-replay', 'replay no delivery')
    .option('--repair', 'purge and send again what is gone or spoilt (with --dry-run: say what would be done)')
    .option(...DRY_RUN);
  addEngineOptions(command).action(async (name: string | undefined, flags: VerifyFlags) => {
    await using engine = await openOperatorEngine(
      flags,
      flags.repair === true && flags.dryRun !== true ? 'change' : 'look',
    );
    const scenes = await allScenes(engine.context.manifest);
    const chosen = name === undefined ? scenes : selectScenes(scenes, [name]);
    const verified: Verified = { scenes: chosen.length, findings: [], repairs: [], left: [] };
    const dryRepair = flags.repair === true && flags.dryRun === true;
    const planned: PlannedRepair[] = [];
    await interruptible(
      async (signal) => {
        for (const scene of chosen) {
          signal.throwIfAborted();
          const found = await lookAt(engine, scene, flags);
          verified.findings.push(...found);
          const mends = flags.repair === true && flags.dryRun !== true && found.length > 0;
          const report = mends ? await mend(engine, scene, found, signal) : null;
          if (dryRepair && found.length > 0) planned.push(plannedRepair(scene.plan, found));
          if (report !== null) verified.repairs.push({ scene: scene.plan.sceneJobId, report });
          verified.left.push(...(report === null ? found : await lookAgain(engine, scene, flags)));
        }
      },
      (message) => console.error(message),
    );
    const strays = name === undefined ? await ownerlessFindings(engine.context, scenes) : [];
    verified.findings.push(...strays);
    verified.left.push(...strays);
    if (flags.json === true) console.log(JSON.stringify(dryRepair ? { ...verified, dryRun: true, planned } : verified));
    else if (dryRepair) tellPlanned(verified, planned);
    else tell(verified);
    if (verified.left.length > 0) process.exitCode = 1;
  });
};

interface Verified {
  readonly scenes: number;
  readonly findings: Finding[];
  readonly repairs: { readonly scene: string; readonly report: RepairReport }[];
  /** What was found and is not mended; without `--repair` all of it. */
  readonly left: Finding[];
}

/** Repairs a scene and waits until its work is done. @returns null where nothing could be mended. */
const mend = async (
  engine: OperatorEngine,
  scene: PlannedScene,
  found: readonly Finding[],
  signal: AbortSignal,
): Promise<RepairReport | null> => {
  const report = await engine.working(availableParallelism(), signal, () => repairScene(engine.context, scene, found));
  if (!report.assembly) return null;
  await whenSettled(engine, scene.plan.sceneJobId, signal);
  return report;
};

/** The second look, at a scene that was repaired: it must have been assembled again first. */
const lookAgain = async (
  engine: OperatorEngine,
  { plan, record }: PlannedScene,
  flags: VerifyFlags,
): Promise<Finding[]> => {
  const { sceneJobId } = plan;
  const now = (await engine.context.manifest.getPlan(sceneJobId)) ?? record;
  if (now.state === 'ASSEMBLED') return lookAt(engine, { plan, record: now }, flags);
  const message = `scene ${sceneJobId.slice(0, 12)} was sent again and is ${now.state}: tileonce status shows why`;
  return [{ kind: 'scene-file-missing', sceneJobId, window: null, message }];
};

const lookAt = async (engine: OperatorEngine, scene: PlannedScene, flags: VerifyFlags): Promise<Finding[]> => {
  const stalled = await isStalled(engine, scene);
  const found = await verifyScene(engine.context, scene, { readBytes: flags.quick !== true, stalled });
  // What is known to be broken would be worked on by the replay itself.
  if (!flags.replay || flags.dryRun === true || found.length > 0) return found;
  const replayed = await replayDelivery(engine.context, engine.tools, scene).catch(asFinding(scene.plan.sceneJobId));
  if (replayed.kind === 'replayed') return [...replayed.findings];
  console.error(`${scene.plan.sceneJobId.slice(0, 12)}: no delivery was replayed: ${replayed.why}`);
  return [];
};

/** True where a scene is not finished and nobody is at work on it any more. */
const isStalled = async (engine: OperatorEngine, { record }: PlannedScene): Promise<boolean> => {
  if (record.state !== 'OPEN' && record.state !== 'FAILED') return false;
  const { context, stalledAfterMs, isDead } = engine;
  const { state } = await sceneStatus(context, record, {
    stalledAfterMs,
    isDead,
    deadLetters: await lettersOf(engine),
  });
  return state === 'STALLED' || state === 'FAILED';
};

/** A delivery that had work to do, where nothing may be written. */
const asFinding =
  (sceneJobId: string) =>
  (error: unknown): ReplayOutcome => {
    if (!(error instanceof OnlyReadError)) throw error;
    const message = `${sceneJobId.slice(0, 12)}: a repeated delivery is not refused: a claim of finished work is gone`;
    return { kind: 'replayed', findings: [{ kind: 'replay', sceneJobId, window: null, message }] };
  };

const tellPlanned = ({ scenes, findings }: Verified, planned: readonly PlannedRepair[]): void => {
  for (const finding of findings) console.log(`${finding.message}: ${repairText(finding) ?? 'would be left'}`);
  const files = planned.flatMap((repair) => repair.files);
  const told = new Set(findings.map(({ key }) => key));
  for (const key of files.filter((file) => !told.has(file))) console.log(`${key}: would be removed and made again`);
  if (findings.length === 0) console.error(`${scenes} scene(s): as the ledger says, nothing to repair`);
  else console.error(plannedLine(findings, planned));
};

const plannedLine = (findings: readonly Finding[], planned: readonly PlannedRepair[]): string => {
  const windows = planned.flatMap((repair) => repair.windows).length;
  const assemblies = planned.filter(({ assembly }) => assembly).length;
  const left = findings.filter((finding) => repairText(finding) === null).length;
  return (
    `${findings.length} finding(s): would send ${windows} window(s) again and assemble ${assemblies} scene(s) again, ` +
    `${left} would be left; nothing was changed`
  );
};

const tell = ({ scenes, findings, repairs, left }: Verified): void => {
  for (const { message } of findings) console.log(message);
  for (const { scene, report } of repairs) {
    console.log(`${scene.slice(0, 12)}: ${report.windows.length} window(s) sent again, the scene is assembled again`);
  }
  for (const { message } of repairs.length === 0 ? [] : left) console.log(`left: ${message}`);
  if (findings.length === 0) console.error(`${scenes} scene(s): as the ledger says`);
  else console.error(`${findings.length} finding(s)${repairs.length === 0 ? '' : `, ${left.length} left`}`);
};
