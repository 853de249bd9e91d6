import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type DemoFiles, writeDemoScene } from '../../bin/demo/scene-files.ts';
import { DynamoClaimStore } from '../../lambda/engines/aws/claim-store.ts';
import { dynamoClient, s3Client, sqsClient } from '../../lambda/engines/aws/clients.ts';
import { DynamoManifestStore } from '../../lambda/engines/aws/manifest-store.ts';
import type { FunctionName } from '../../lambda/environment.ts';
import { bareEtag } from '../../lambda/identity/version-token.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { type Deployed, deployApp, nodeFirst, outputsFileIn } from './deploy-command.ts';
import { shortenWaits } from './faults.ts';
import { killWorkers } from './function-processes.ts';
import { type MiniStack, cloudEnvironment, startMiniStack } from './ministack.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { say } from './waiting.ts';

/** NDVI on the scene's own grid in windows of 32 px: 640 px make 400 windows, 320 px 100, 64 px 4. */
export const PIPELINE = {
  pipeline: 'deployed-test',
  version: '1.0.0',
  bands: { B04: { suffix: '_B04.tif' }, B08: { suffix: '_B08.tif' } },
  expression: '(B08 - B04) / (B08 + B04)',
  dst_crs: 'source',
  tile_px: 32,
} as const;

/** Minutes become seconds; that the deployed numbers hold their inequalities is checked as ever. */
const TIMING = {
  settleSeconds: 2,
  ceilingSeconds: 40,
  abortMarginSeconds: 5,
  // The emulator unpacks a function's code within its first invocation: that is what the slack has to absorb here.
  skewSeconds: 15,
  retrySeconds: 1,
  healAfterSeconds: 10,
  reapMinutes: 1,
};

/**
 * A message that meets a store that is down waits for the visibility time, 70 s here, then for 4 h, and one that meets a
 * live lease for 60 s at most. Of these only the outages are waited for in haste.
 */
const OUTAGE_WAIT_SECONDS = 70;
const SHORT_WAIT_SECONDS = 2;

/** Functions call this address and the rest of the world the emulator's own: every call of a function passes the proxy. */
const PROXY_HOST = '127.0.0.2';

/** The app, deployed to an emulator, and what an operator and an uploader have in their hands. */
export class DeployedApp implements AsyncDisposable {
  readonly stack: MiniStack;
  readonly proxy: RecordingProxy;
  readonly deployed: Deployed;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly claims: DynamoClaimStore;
  readonly manifest: DynamoManifestStore;
  readonly #folder: TemporaryFolder;

  constructor(stack: MiniStack, proxy: RecordingProxy, deployed: Deployed, folder: TemporaryFolder) {
    const { endpoint } = stack;
    this.stack = stack;
    this.proxy = proxy;
    this.deployed = deployed;
    this.#folder = folder;
    this.s3 = s3Client({ endpoint });
    this.sqs = sqsClient({ endpoint });
    const client = dynamoClient({ endpoint });
    this.claims = new DynamoClaimStore({ client, table: deployed.claims });
    this.manifest = new DynamoManifestStore({ client, table: deployed.manifest });
  }

  /** Everything from nothing: emulator, proxy, bootstrap, deploy. Sets credentials and region of this process. */
  static async start(): Promise<DeployedApp> {
    Object.assign(process.env, cloudEnvironment);
    const folder = temporaryFolder();
    say('starting MiniStack');
    const stack = await startMiniStack((port) => ({
      PATH: nodeFirst(),
      MINISTACK_HOST: PROXY_HOST,
      AWS_ENDPOINT_URL: `http://${PROXY_HOST}:${port}`,
      AWS_ENDPOINT_URL_S3: `http://${PROXY_HOST}:${port}`,
    }));
    const { port, endpoint } = stack;
    try {
      const proxy = await startRecordingProxy({ host: PROXY_HOST, port, upstream: { host: '127.0.0.1', port } });
      proxy.intercept(shortenWaits(OUTAGE_WAIT_SECONDS, SHORT_WAIT_SECONDS));
      const pipeline = join(folder.path, 'pipeline.json');
      await writeFile(pipeline, JSON.stringify(PIPELINE));
      const settings = {
        pipelines: [pipeline],
        source: { prefix: 'scenes/' },
        // No metric math in the emulator.
        alarms: { gates: false },
        removal: 'destroy',
        maxConcurrency: 3,
        // The id of its invocation is then in every call of a function.
        tracing: true,
        timing: TIMING,
      };
      say('cdk bootstrap, cdk deploy --all');
      const deployed = await deployApp({ endpoint, folder: folder.path, settings });
      say('deployed');
      return new DeployedApp(stack, proxy, deployed, folder);
    } catch (error) {
      await stack.stop();
      folder.remove();
      throw error;
    }
  }

  /** The demo scene's two bands, as files. */
  async makeScene(name: string, size: number): Promise<DemoFiles> {
    const folder = await this.folder(name);
    return writeDemoScene(folder, { size, seed: 1 });
  }

  async folder(name: string): Promise<string> {
    const path = join(this.#folder.path, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** Uploads one file of a scene under the source's prefix. @returns its key. */
  async upload(name: string, file: string): Promise<string> {
    const key = `scenes/${name}/${basename(file)}`;
    const Body = await readFile(file);
    await this.s3.send(
      new PutObjectCommand({ Bucket: this.deployed.sourceBucket, Key: key, Body, ChecksumAlgorithm: 'SHA256' }),
    );
    return key;
  }

  /** What `cdk deploy --outputs-file` wrote. */
  get outputsFile(): string {
    return outputsFileIn(this.#folder.path);
  }

  /** Kills a function's processes; with a port only the one that calls from it, where that can be found out. */
  kill(caller: FunctionName, port?: number): void {
    const count = killWorkers(this.stack.pid, this.deployed.functions[caller], port);
    say(`killed ${count} worker(s) of ${caller}`);
  }

  /** Every version and delete marker under a prefix of the output bucket: keys, repeated as often as they stand there. */
  async versions(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let from: { KeyMarker?: string; VersionIdMarker?: string } | null = {};
    while (from !== null) {
      const page: ListObjectVersionsCommandOutput = await this.s3.send(
        new ListObjectVersionsCommand({ Bucket: this.deployed.outputBucket, Prefix: prefix, ...from }),
      );
      for (const { Key: key = '' } of page.Versions ?? []) keys.push(key);
      for (const { Key: key = '' } of page.DeleteMarkers ?? []) keys.push(`${key} (deleted)`);
      const { NextKeyMarker: key, NextVersionIdMarker: version } = page;
      from =
        page.IsTruncated === true && key !== undefined
          ? { KeyMarker: key, ...(version === undefined ? {} : { VersionIdMarker: version }) }
          : null;
    }
    return keys.toSorted();
  }

  /** @returns an output's bytes, and its ETag without quotes. */
  async object(key: string): Promise<{ readonly bytes: Buffer; readonly etag: string }> {
    const { Body: body, ETag: etag = '' } = await this.s3.send(
      new GetObjectCommand({ Bucket: this.deployed.outputBucket, Key: key }),
    );
    return { bytes: Buffer.from((await body?.transformToByteArray()) ?? []), etag: bareEtag(etag) };
  }

  /** Messages in a queue: visible, hidden and delayed. */
  async depth(url: string): Promise<number> {
    const names = [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ] as const;
    const { Attributes: told } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] }),
    );
    return names.reduce((sum, name) => sum + Number(told?.[name] ?? 0), 0);
  }

  async idle(): Promise<boolean> {
    const depths = await Promise.all(Object.values(this.deployed.queues).map((url) => this.depth(url)));
    return depths.every((depth) => depth === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy.stop();
    await this.stack.stop();
    this.#folder.remove();
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
