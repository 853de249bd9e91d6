import assert from 'node:assert/strict';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { S3SourceStore } from '../../lambda/engines/aws/source-store.ts';
import { type SceneJobId, sceneJobId } from '../../lambda/identity/job-key.ts';
import { itemKey } from '../../lambda/identity/output-keys.ts';
import { canonicalParams } from '../../lambda/pipeline/definition/canonical-params.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import { siblings } from '../../lambda/pipeline/definition/scene-siblings.ts';
import { candidatesOf, lookAtSources } from '../../lambda/pipeline/look-at-sources.ts';
import { type DeployedApp, PIPELINE } from './deployed-app.ts';
import { say } from './waiting.ts';

/** A scene whose two bands were uploaded. */
export interface UploadedScene {
  readonly id: SceneJobId;
  readonly keys: readonly string[];
  /** Its red band's file. */
  readonly red: string;
}

/** Uploads both bands of a demo scene, and nothing else. */
export const uploadScene = async (app: DeployedApp, name: string, size: number): Promise<UploadedScene> => {
  const { red, nir } = await app.makeScene(name, size);
  const key = await app.upload(name, red);
  const keys = [key, await app.upload(name, nir)];
  say(`uploaded scene ${name}, ${size} px`);
  return { id: await idOfScene(app, key), keys, red };
};

/** The id of the scene that one of whose keys this is, as anyone can compute it who sees the bucket. */
export const idOfScene = async (app: DeployedApp, key: string): Promise<SceneJobId> => {
  const pipeline = parsePipeline(JSON.stringify(PIPELINE), 'pipeline.json');
  const found = siblings(pipeline, key) ?? assert.fail(`${key} is no band`);
  const look = await lookAtSources(
    new S3SourceStore({ client: app.s3 }),
    pipeline,
    candidatesOf(app.deployed.sourceBucket, found),
  );
  if (look.kind === 'incomplete') return assert.fail(`${key}: its scene is not complete`);
  return sceneJobId(look.sources.looks, canonicalParams(pipeline));
};

/** The upload of a key as EventBridge tells of it, and as an S3 notification does. */
const eventsOf = (bucket: string, key: string): readonly string[] => [
  JSON.stringify({
    version: '0',
    id: '0',
    source: 'aws.s3',
    'detail-type': 'Object Created',
    detail: { bucket: { name: bucket }, object: { key } },
  }),
  JSON.stringify({
    Records: [
      {
        eventSource: 'aws:s3',
        eventName: 'ObjectCreated:Put',
        s3: { bucket: { name: bucket }, object: { key: encodeURIComponent(key).replaceAll('%20', '+') } },
      },
    ],
  }),
];

/** Each upload's event once more as EventBridge sends it, and once as a notification. */
export const ringAgain = async (app: DeployedApp, { keys }: UploadedScene): Promise<void> => {
  const bodies = keys.flatMap((key) => eventsOf(app.deployed.sourceBucket, key));
  await app.sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: app.deployed.queues.scenes,
      Entries: bodies.map((MessageBody, at) => ({ Id: `event-${at}`, MessageBody })),
    }),
  );
};

/** True once the scene's item is there, nothing waits in any queue, and no worker holds a message. */
export const isFinished = async (app: DeployedApp, id: SceneJobId): Promise<boolean> =>
  (await app.versions(itemKey(id))).length > 0 && (await app.idle());
