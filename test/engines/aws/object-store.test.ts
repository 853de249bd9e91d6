import { describe, expect, it } from '@jest/globals';
import { S3ObjectStore } from '../../../lambda/engines/aws/object-store.ts';
import type { NewObject } from '../../../lambda/gates/object-store.ts';
import { sha256Hex } from '../../../lambda/identity/sha256.ts';
import { type Received, type Reply, answeringServer, rangeReply, s3Failure } from './answering-server.ts';
import { testS3 } from './test-clients.ts';

const body = new Uint8Array(Buffer.from('0123456789'));
const object: NewObject = {
  key: 'tiles/scene/0000_0001.tif',
  body,
  contentType: 'image/tiff',
  sha256: sha256Hex(body),
  digest: 'ours',
};
const etag = { etag: '"e1"' };

const serving = async (answer: (request: Received, nth: number) => Reply, maxAttempts = 1) => {
  const server = await answeringServer(answer);
  return { server, store: new S3ObjectStore({ client: testS3(server.endpoint, maxAttempts), bucket: 'out' }) };
};

describe('a create in S3', () => {
  it('carries its precondition, checksum, type and digest', async () => {
    const { server, store } = await serving(() => ({ headers: etag }));
    await using _ = server;
    expect(await store.create(object)).toEqual({ kind: 'created', etag: 'e1' });
    const [put] = server.received;
    expect([put?.method, put?.path.split('?')[0], String(put?.body)]).toEqual([
      'PUT',
      `/out/${object.key}`,
      '0123456789',
    ]);
    expect(put?.headers).toMatchObject({
      'if-none-match': '*',
      'content-type': 'image/tiff',
      'x-amz-checksum-sha256': Buffer.from(object.sha256, 'hex').toString('base64'),
      'x-amz-meta-tileonce-digest': 'ours',
    });
  });

  it.each([
    ['exists', 412, 'PreconditionFailed'],
    ['exists', 412, null],
    ['conflict', 409, 'ConditionalRequestConflict'],
    ['conflict', 409, null],
  ])('is answered %s by HTTP %d %s', async (kind, status, code) => {
    const { server, store } = await serving(() => s3Failure(status, code));
    await using _ = server;
    expect(await store.create(object)).toEqual({ kind });
  });

  it('whose reply was lost is repeated, and exists', async () => {
    const { server, store } = await serving((_, nth) => (nth === 1 ? { lost: 'whole' } : s3Failure(412, null)), 2);
    await using _ = server;
    expect(await store.create(object)).toEqual({ kind: 'exists' });
    expect(server.received.map(({ headers }) => headers['if-none-match'])).toEqual(['*', '*']);
  });

  it.each([
    [503, 'SlowDown'],
    [500, null],
    [403, 'AccessDenied'],
    [403, null],
    [404, 'NoSuchBucket'],
  ])('fails closed on HTTP %d %s', async (status, code) => {
    const { server, store } = await serving(() => s3Failure(status, code));
    await using _ = server;
    await expect(store.create(object)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('that is malformed is a defect, and never counts as anything else', async () => {
    const { server, store } = await serving(() => s3Failure(400, 'InvalidRequest'));
    await using _ = server;
    await expect(store.create(object)).rejects.toMatchObject({ name: 'InvalidRequest' });
  });
});

describe('a replace in S3', () => {
  it.each([
    [412, 'PreconditionFailed', 'mismatch'],
    [412, null, 'mismatch'],
    [404, 'NoSuchKey', 'mismatch'],
    [409, 'ConditionalRequestConflict', 'conflict'],
  ])('answered HTTP %d %s is a %s', async (status, code, kind) => {
    const { server, store } = await serving(() => s3Failure(status, code));
    await using _ = server;
    expect(await store.replace(object, 'e0')).toEqual({ kind });
    expect(server.received[0]?.headers['if-match']).toBe('"e0"');
  });
});

describe('a removal in S3', () => {
  it('is true for the inspected object, false for another or none, and never sent bare', async () => {
    const replies = [{ status: 204 }, s3Failure(412, null), s3Failure(404, 'NoSuchKey')];
    const { server, store } = await serving((_, nth) => replies[nth - 1] ?? {});
    await using _ = server;
    const removed = [await store.remove('k', 'e'), await store.remove('k', 'e'), await store.remove('k', 'e')];
    expect(removed).toEqual([true, false, false]);
    expect(server.received.map(({ headers }) => headers['if-match'])).toEqual(['"e"', '"e"', '"e"']);
  });

  it('that meets another write is no answer', async () => {
    const { server, store } = await serving(() => s3Failure(409, 'ConditionalRequestConflict'));
    await using _ = server;
    await expect(store.remove('k', 'e')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });
});

describe('a look at an object in S3', () => {
  it('is null for a 404, and an error for a 403: without ListBucket that could be either', async () => {
    const { server, store } = await serving((_, nth) => s3Failure(nth === 1 ? 404 : 403, null));
    await using _ = server;
    expect(await store.head('k')).toBeNull();
    await expect(store.head('k')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('tells the SHA-256 of the whole object, and none where it is one of parts', async () => {
    const checksum = Buffer.from(object.sha256, 'hex').toString('base64');
    const { server, store } = await serving((_, nth) => ({
      headers: {
        ...etag,
        'x-amz-meta-tileonce-digest': 'ours',
        'x-amz-checksum-sha256': nth === 1 ? checksum : `${checksum}-3`,
        'x-amz-checksum-type': nth === 1 ? 'FULL_OBJECT' : 'COMPOSITE',
      },
    }));
    await using _ = server;
    expect(await store.head('k')).toEqual({ key: 'k', bytes: 0, etag: 'e1', sha256: object.sha256, digest: 'ours' });
    expect(await store.head('k')).toMatchObject({ sha256: null });
    expect(server.received[0]?.headers['x-amz-checksum-mode']).toBe('ENABLED');
  });
});

describe('reading an object in S3', () => {
  it('asks again for a body that breaks off', async () => {
    const { server, store } = await serving((_, nth) => ({
      headers: etag,
      body,
      ...(nth < 3 ? { lost: 'half' } : {}),
    }));
    await using _ = server;
    expect(await store.get('k')).toEqual(body);
    expect(server.received).toHaveLength(3);
  });

  it('fails closed where every body breaks off', async () => {
    const { server, store } = await serving(() => ({ headers: etag, body, lost: 'half' }));
    await using _ = server;
    await expect(store.get('k')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('pins every range to the object that was opened, and refuses another', async () => {
    let replaced = false;
    const { server, store } = await serving((request) => {
      if (request.method === 'HEAD') return { headers: { ...etag, 'content-length': '10' } };
      return replaced ? s3Failure(412, 'PreconditionFailed') : rangeReply(request, body, etag);
    });
    await using _ = server;
    await using reader = await store.open('k', 'e1');
    expect(await reader?.read([{ offset: 3, length: 4 }])).toEqual([new Uint8Array(Buffer.from('3456'))]);
    expect(server.received.map(({ headers }) => headers['if-match'])).toEqual(['"e1"', '"e1"']);
    replaced = true;
    await expect(reader?.read([{ offset: 3, length: 4 }])).rejects.toMatchObject({ name: 'SourceChangedError' });
  });

  it('does not open what has another etag, or is not there', async () => {
    const { server, store } = await serving((_, nth) => s3Failure(nth === 1 ? 412 : 404, null));
    await using _ = server;
    expect([await store.open('k', 'e1'), await store.open('k', 'e1')]).toEqual([null, null]);
  });
});
