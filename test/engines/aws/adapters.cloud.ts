import assert from 'node:assert/strict';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoClient, s3Client, sqsClient } from '../../../lambda/engines/aws/clients.ts';
import { lendClaims, lendManifest, lendObjects, lendQueue } from '../../cloud/lent-stores.ts';
import { type MiniStack, cloudTests, cloudEnvironment, startMiniStack } from '../../cloud/ministack.ts';
import { claimStoreContract } from '../../contract/claim-store.contract.ts';
import { brokenRules } from '../../contract/contract.ts';
import { manifestStoreContract } from '../../contract/manifest-store.contract.ts';
import { objectStoreCases, objectStoreContract } from '../../contract/object-store.contract.ts';
import { queueCases } from '../../contract/queue.contract.ts';

interface Clients {
  readonly stack: MiniStack;
  readonly s3: S3Client;
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
}

let running: Clients | null = null;

const clients = (): Clients => {
  assert.notEqual(running, null, 'MiniStack is not running');
  return running ?? assert.fail();
};

const connected = (stack: MiniStack): Clients => {
  const { endpoint } = stack;
  return { stack, s3: s3Client({ endpoint }), dynamo: dynamoClient({ endpoint }), sqs: sqsClient({ endpoint }) };
};

/** Takes a header off every request, as a deployment would send that forgot it. */
const withoutHeader = (client: S3Client, header: string): S3Client => {
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args;
      if (typeof request === 'object' && request !== null && 'headers' in request) {
        const { headers } = request;
        if (typeof headers === 'object' && headers !== null) Reflect.deleteProperty(headers, header);
      }
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return client;
};

cloudTests('the AWS adapters on MiniStack', () => {
  beforeAll(async () => {
    Object.assign(process.env, cloudEnvironment);
    running = connected(await startMiniStack());
  }, 180_000);

  afterAll(async () => {
    await running?.stack.stop();
  }, 20_000);

  claimStoreContract('DynamoDB', () => lendClaims(clients().dynamo));
  manifestStoreContract('DynamoDB', () => lendManifest(clients().dynamo));
  objectStoreContract('S3', () => lendObjects(clients().s3));

  describe('queue: SQS', () => {
    let broken: readonly string[] = [];

    // Visibility timeouts run out in real seconds, so the cases wait side by side.
    beforeAll(async () => {
      const failing = await Promise.all(queueCases.map((rule) => brokenRules([rule], () => lendQueue(clients().sqs))));
      broken = failing.flat();
    }, 120_000);

    it.each(queueCases.map(({ name }) => name))('%s', (rule) => {
      expect(broken).not.toContain(rule);
    });
  });

  describe('a manifest larger than a page', () => {
    it('is counted and listed to its last row', async () => {
      const { subject: store } = await lendManifest(clients().dynamo);
      const windows = Array.from({ length: 1200 }, (_, n) => `${String(n).padStart(4, '0')}_0000`);
      const put = (window: string) =>
        store.putRow({
          state: 'WRITTEN',
          sceneJobId: 'scene',
          window,
          key: 'k'.repeat(900),
          bytes: 1,
          etag: 'e',
          sha256: 's',
          digest: 'd',
          validPixels: 1,
          statistics: [null],
        });
      for (let start = 0; start < windows.length; start += 50) {
        await Promise.all(windows.slice(start, start + 50).map(put));
      }
      expect(await store.countRows('scene')).toBe(1200);
      expect((await store.listRows('scene')).map(({ window }) => window)).toEqual(windows);
    }, 60_000);
  });

  describe('an upload of several parts', () => {
    it('reads back byte for byte, in ranges across the parts', async () => {
      const { subject: store } = await lendObjects(clients().s3);
      const bytes = new Uint8Array(20 * 1024 * 1024).map((_, index) => (index * 31 + (index >> 13)) & 255);
      const upload = await store.upload({ key: 'scenes/a/scene.tif', contentType: 'image/tiff', digest: 'ours' });
      for (let start = 0; start < bytes.length; start += 3_000_000) {
        await upload.write(bytes.subarray(start, start + 3_000_000));
      }
      expect(await upload.complete()).toMatchObject({ kind: 'created' });
      const head = await store.head('scenes/a/scene.tif');
      expect(head).toMatchObject({ bytes: bytes.length, digest: 'ours', sha256: null });
      await using reader = await store.open('scenes/a/scene.tif', head?.etag);
      const ranges = [
        { offset: 8 * 1024 * 1024 - 5, length: 10 },
        { offset: bytes.length - 7, length: 7 },
      ];
      const parts = (await reader?.read(ranges)) ?? [];
      expect(parts.map((part) => Buffer.from(part).toString('hex'))).toEqual(
        ranges.map(({ offset, length }) => Buffer.from(bytes.subarray(offset, offset + length)).toString('hex')),
      );
    }, 60_000);
  });

  describe('without the If-None-Match header', () => {
    it('the contract notices that objects are overwritten', async () => {
      const { endpoint } = clients().stack;
      const client = withoutHeader(s3Client({ endpoint }), 'if-none-match');
      const broken = await brokenRules(objectStoreCases, () => lendObjects(client));
      expect(broken.sort()).toEqual([
        'a second create sees that it exists, and the bytes stay the first one’s',
        'an upload that a rival overtook exists at its completion and changes nothing',
        'of sixteen creates at once one wins, and the object is the winner’s',
      ]);
    }, 30_000);
  });

  describe('without the If-Match header', () => {
    it('the contract notices that another object is replaced and removed', async () => {
      const { endpoint } = clients().stack;
      const client = withoutHeader(s3Client({ endpoint }), 'if-match');
      const broken = await brokenRules(objectStoreCases, () => lendObjects(client));
      expect(broken).toEqual(
        expect.arrayContaining([
          'a replace with another etag is a mismatch and changes nothing',
          'a remove with another etag leaves the object, with the inspected one it is gone',
          'an object is not opened under an etag that it does not have',
        ]),
      );
    }, 30_000);
  });
});
