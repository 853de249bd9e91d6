import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { openScratch } from '../../lambda/assemble/scratch.ts';
import { systemClock } from '../../lambda/clock.ts';
import { dynamoClient, s3Client, sqsClient } from '../../lambda/engines/aws/clients.ts';
import { SqsDeadLetters } from '../../lambda/engines/aws/dead-letters.ts';
import { deployedStage } from '../../lambda/engines/aws/deployed-stage.ts';
import { awsEngine } from '../../lambda/engines/aws/index.ts';
import { EMBEDDED_CLAIM } from '../../lambda/local/timing.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { PIXEL_VERSION } from '../../lambda/pipeline/definition/pixel-version.ts';
import { explained } from '../../lambda/pipeline/recovery/explain-letters.ts';
import { silentTelemetry } from '../../lambda/telemetry.ts';
import { SOFTWARE_VERSION } from '../../lambda/version.ts';
import type { EngineFlags } from './engine-options.ts';
import { type OperatorEngine, toolsOf } from './operator-engine.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The most scratch that an assembly on this machine takes, bytes. */
const SCRATCH_BYTES = 64 * 1024 ** 3;

/** A deployment on AWS, with the caller's credentials. @throws StageError where its resources are not known. */
export const deployedEngine = (stage: string, { outputs, resource }: EngineFlags): OperatorEngine => {
  const names = deployedStage(stage, existsSync(outputs) ? readFileSync(outputs, 'utf8') : null, resource);
  const sqs = sqsClient();
  const queueUrls = { scenes: names.SceneQueueUrl, tiles: names.TileQueueUrl, assemblies: names.AssemblyQueueUrl };
  const context: PipelineContext = {
    ...awsEngine({
      s3: s3Client(),
      dynamo: dynamoClient(),
      sqs,
      claimsTable: names.ClaimTable,
      manifestTable: names.ManifestTable,
      outputBucket: names.OutputBucket,
      queueUrls,
      clock: systemClock,
      telemetry: silentTelemetry,
    }),
    clock: systemClock,
    telemetry: silentTelemetry,
    // A person's process has no ceiling, so its leases live by their heartbeat here too.
    claimTiming: EMBEDDED_CLAIM,
    newOwner: () => randomUUID(),
    pixelVersion: PIXEL_VERSION,
    softwareVersion: SOFTWARE_VERSION,
  };
  const tools = toolsOf(context, () => openScratch({ mostBytes: SCRATCH_BYTES }));
  return {
    context,
    deadLetters: explained(
      new SqsDeadLetters({
        client: sqs,
        urls: queueUrls,
        deadLetterUrls: {
          scenes: names.SceneDeadLettersUrl,
          tiles: names.TileDeadLettersUrl,
          assemblies: names.AssemblyDeadLettersUrl,
        },
        undeliveredUrl: names.UndeliveredUploadsUrl ?? undefined,
        clock: systemClock,
      }),
      context.claims,
    ),
    tools,
    stalledAfterMs: 32 * MINUTE,
    isDead: () => false,
    // Longer than a message can live: four days in its queue, fourteen with the dead letters.
    strayAgeMs: 19 * DAY,
    placeOf: (key) => `s3://${names.OutputBucket}/${key}`,
    working: (_threads, _signal, act) => act(),
    [Symbol.asyncDispose]: () => tools.pool[Symbol.asyncDispose](),
  };
};
