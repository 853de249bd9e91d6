import assert from 'node:assert/strict';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { S3SourceStore } from '../../../lambda/engines/aws/source-store.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import { lendClaims, lendDeadLetters, lendManifest, lendObjects, lendQueue } from '../../cloud/lent-stores.ts';
import { type ConnectedStack, connectedStack } from '../../cloud/connected.ts';
import { makeBucket } from '../../cloud/resources.ts';
import { claimStoreContract } from '../../contract/claim-store.contract.ts';
import { brokenRules } from '../../contract/contract.ts';
import { deadLettersContract } from '../../contract/dead-letters.contract.ts';
import { manifestStoreContract } from '../../contract/manifest-store.contract.ts';
import { objectStoreContract } from '../../contract/object-store.contract.ts';
import { queueCases } from '../../contract/queue.contract.ts';
import { describeWith } from '../../support/requirements.ts';

let running: ConnectedStack | null = null;

const clients = (): ConnectedStack => running ?? assert.fail('MiniStack is not running');

describeWith(['Python'], 'the AWS adapters on MiniStack', () => {
  beforeAll(async () => {
    running = await connectedStack();
  }, 180_000);

  afterAll(async () => {
    await running?.stack.stop();
  }, 20_000);

  claimStoreContract('DynamoDB', () => lendClaims(clients().dynamo));
  manifestStoreContract('DynamoDB', () => lendManifest(clients().dynamo));
  objectStoreContract('S3', () => lendObjects(clients().s3));
  objectStoreContract('S3 with versions', () => lendObjects(clients().s3, { versioned: true }));
  deadLettersContract('SQS', () => lendDeadLetters(clients().sqs));

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
    it('is counted and listed to its last row, of 1.2 MB', async () => {
      const { subject: store } = await lendManifest(clients().dynamo);
      const windows = Array.from({ length: 60 }, (_, n) => `${String(n).padStart(4, '0')}_0000`);
      const put = (window: string) =>
        store.putRow({
          state: 'WRITTEN',
          sceneJobId: 'scene',
          window,
          key: 'k'.repeat(20_000),
          bytes: 1,
          etag: 'e',
          sha256: 's',
          digest: 'd',
          validPixels: 1,
          statistics: [null],
        });
      for (let start = 0; start < windows.length; start += 20) {
        await Promise.all(windows.slice(start, start + 20).map(put));
      }
      expect(await store.countRows('scene')).toBe(60);
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

  describe('a source', () => {
    const scene = (text: string) => new Uint8Array(Buffer.from(text));
    const put = async (bucket: string, text: string): Promise<void> => {
      await clients().s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: 'L2A/B 04+é.tif', Body: scene(text), ChecksumAlgorithm: 'SHA256' }),
      );
    };

    it('is known by its SHA-256, read as planned, and refused once it is another', async () => {
      const bucket = await makeBucket(clients().s3);
      await put(bucket, 'first pixels');
      const store = new S3SourceStore({ client: clients().s3 });
      const look = await store.look(bucket, 'L2A/B 04+é.tif');
      expect(look).toMatchObject({ versionToken: sha256Hex('first pixels'), versionId: null, bytes: 12 });
      if (look === null) return;
      await using reader = await store.open(look);
      expect(await reader.read([{ offset: 6, length: 6 }])).toEqual([scene('pixels')]);
      await put(bucket, 'other pixels');
      await expect(reader.read([{ offset: 6, length: 6 }])).rejects.toMatchObject({ name: 'SourceChangedError' });
    });

    it('of a versioned bucket is read as planned also after it was replaced', async () => {
      const bucket = await makeBucket(clients().s3, { versioned: true });
      await put(bucket, 'first pixels');
      const store = new S3SourceStore({ client: clients().s3 });
      const look = await store.look(bucket, 'L2A/B 04+é.tif');
      expect(look?.versionId).toEqual(expect.any(String));
      await put(bucket, 'other pixels');
      if (look === null) return;
      await using reader = await store.open(look);
      expect(await reader.read([{ offset: 0, length: 5 }])).toEqual([scene('first')]);
    });

    it('that is not there is null', async () => {
      const bucket = await makeBucket(clients().s3);
      expect(await new S3SourceStore({ client: clients().s3 }).look(bucket, 'absent.tif')).toBeNull();
    });
  });
});
