import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { S3ObjectStore } from '../../../lambda/engines/aws/object-store.ts';
import { PART_BYTES, partBytes } from '../../../lambda/engines/aws/object-upload.ts';
import { type Received, type Reply, answeringServer, s3Failure } from './answering-server.ts';
import { testS3 } from './test-clients.ts';

const KEY = 'scenes/scene/scene.tif';

type Step = 'begin' | 'part' | 'complete' | 'abort';

const stepOf = ({ method, path }: Received): Step => {
  if (method === 'DELETE') return 'abort';
  if (method === 'PUT') return 'part';
  return path.includes('uploadId') ? 'complete' : 'begin';
};

const completed = '<CompleteMultipartUploadResult><ETag>"whole-2"</ETag></CompleteMultipartUploadResult>';
const fine: Record<Step, Reply> = {
  begin: { body: '<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>' },
  part: { headers: { etag: '"part"' } },
  complete: { body: completed },
  abort: { status: 204 },
};

const uploading = async (replies: Partial<Record<Step, Reply>> = {}) => {
  const server = await answeringServer((request) => replies[stepOf(request)] ?? fine[stepOf(request)]);
  const store = new S3ObjectStore({ client: testS3(server.endpoint), bucket: 'out' });
  const upload = await store.upload({ key: KEY, contentType: 'image/tiff', digest: 'ours' });
  return { server, upload, steps: () => server.received.map(stepOf) };
};

describe('an upload to S3', () => {
  it('sends parts with their checksums, and completes only where nothing stands there', async () => {
    const { server, upload, steps } = await uploading();
    await using _ = server;
    const bytes = Buffer.alloc(PART_BYTES + 100, 7);
    await upload.write(bytes.subarray(0, 1000));
    await upload.write(bytes.subarray(1000));
    expect(await upload.complete()).toEqual({ kind: 'created', etag: 'whole-2' });
    await upload.abort();
    expect(steps()).toEqual(['begin', 'part', 'part', 'complete']);
    const parts = server.received
      .filter((request) => stepOf(request) === 'part')
      .sort((a, b) => a.path.localeCompare(b.path));
    expect(Buffer.concat(parts.map(({ body }) => body)).equals(bytes)).toBe(true);
    expect(parts[1]?.headers['x-amz-checksum-sha256']).toBe(
      createHash('sha256').update(bytes.subarray(PART_BYTES)).digest('base64'),
    );
    expect(server.received.at(-1)?.headers['if-none-match']).toBe('*');
    expect(server.received[0]?.headers).toMatchObject({
      'content-type': 'image/tiff',
      'x-amz-meta-tileonce-digest': 'ours',
    });
  });

  it('keeps what it was given, whatever becomes of the caller’s buffer', async () => {
    const { server, upload } = await uploading();
    await using _ = server;
    const buffer = Buffer.from('first');
    await upload.write(buffer);
    buffer.fill('x');
    await upload.complete();
    expect(String(server.received.find((request) => stepOf(request) === 'part')?.body)).toBe('first');
  });

  it.each([
    ['exists', s3Failure(412, 'PreconditionFailed')],
    ['exists', s3Failure(412, null)],
    ['conflict', s3Failure(409, 'ConditionalRequestConflict')],
    ['gone', s3Failure(404, 'NoSuchUpload')],
  ])('whose completion is refused is answered %s, and is aborted once', async (kind, complete) => {
    const { server, upload, steps } = await uploading({ complete });
    await using _ = server;
    await upload.write(Buffer.from('pixels'));
    expect(await upload.complete()).toEqual({ kind });
    expect(await upload.complete()).toEqual({ kind: 'gone' });
    await upload.abort();
    await upload.abort();
    expect(steps()).toEqual(['begin', 'part', 'complete', 'abort']);
  });

  it('fails closed on an error inside a completion that was answered 200', async () => {
    const { server, upload } = await uploading({
      complete: { body: '<Error><Code>InternalError</Code><Message>again</Message></Error>' },
    });
    await using _ = server;
    await upload.write(Buffer.from('pixels'));
    await expect(upload.complete()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('is gone where a part finds that it no longer exists, and nothing is completed', async () => {
    const { server, upload, steps } = await uploading({ part: s3Failure(404, 'NoSuchUpload') });
    await using _ = server;
    for (let part = 0; part < 5; part++) await upload.write(Buffer.alloc(PART_BYTES));
    expect(await upload.complete()).toEqual({ kind: 'gone' });
    expect(steps()).not.toContain('complete');
  });

  it('fails closed where a part cannot be written', async () => {
    const { server, upload, steps } = await uploading({ part: s3Failure(503, 'SlowDown') });
    await using _ = server;
    await upload.write(Buffer.from('pixels'));
    await expect(upload.complete()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await upload.abort();
    expect(steps()).toEqual(['begin', 'part', 'abort']);
  });

  it('may be aborted at any time, also where the store is down or it is gone', async () => {
    for (const abort of [s3Failure(404, 'NoSuchUpload'), s3Failure(503, 'SlowDown')]) {
      const { server, upload } = await uploading({ abort });
      await using _ = server;
      await upload.write(Buffer.from('pixels'));
      await expect(upload.abort()).resolves.toBeUndefined();
      expect(await upload.complete()).toEqual({ kind: 'gone' });
      await expect(upload.write(Buffer.from('more'))).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    }
  });
});

describe('the parts of an upload', () => {
  it('are as S3 wants them, and hold a scene of 400 GB', () => {
    const sizes = Array.from({ length: 10_000 }, (_, index) => partBytes(index + 1));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(5 * 1024 * 1024);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(400e9);
  });
});
