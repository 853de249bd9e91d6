import { describe, expect, it } from '@jest/globals';
import { type Received, rangeReply, s3Failure } from './answering-server.ts';
import { checksum, headReply, planned, scene, serving } from './s3-scene.ts';

const methods = (received: readonly Received[]): string[] => received.map(({ method }) => method);

describe('reading a source in S3', () => {
  it('pins each range, fetches neighbours in one request, and asks for nothing before', async () => {
    const { server, store, counted } = await serving((request) => rangeReply(request, scene, {}));
    await using _ = server;
    await using reader = await store.open({ ...planned, versionId: 'v7' });
    expect([reader.name, reader.size, server.received.length]).toEqual(['s3://scenes/L2A/a b+é.tif', scene.length, 0]);
    const ranges = [
      { offset: 290_000, length: 10_000 },
      { offset: 0, length: 100 },
      { offset: 20_000, length: 50 },
      { offset: 5, length: 0 },
    ];
    const parts = await reader.read(ranges);
    expect(parts).toEqual(ranges.map(({ offset, length }) => scene.slice(offset, offset + length)));
    const asked = server.received.map(({ path, headers }) => [
      path.includes('versionId=v7'),
      headers['if-match'],
      headers.range,
    ]);
    expect(asked.sort((a, b) => String(a).localeCompare(String(b)))).toEqual([
      [true, '"planned"', 'bytes=0-20049'],
      [true, '"planned"', 'bytes=290000-299999'],
    ]);
    expect(counted()).toEqual({ bytes: 30_050, requests: 2 });
  });

  it('goes on under a new pin where the same bytes were encrypted again', async () => {
    const { server, store } = await serving((request) => {
      if (request.method === 'HEAD') return headReply({ etag: '"again"', 'x-amz-version-id': 'v8' });
      if (request.headers['if-match'] !== '"again"') return s3Failure(412, 'PreconditionFailed');
      return rangeReply(request, scene, {});
    });
    await using _ = server;
    await using reader = await store.open(planned);
    expect(await reader.read([{ offset: 9, length: 3 }])).toEqual([scene.slice(9, 12)]);
    expect(await reader.read([{ offset: 0, length: 1 }])).toEqual([scene.slice(0, 1)]);
    expect(methods(server.received)).toEqual(['GET', 'HEAD', 'GET', 'GET']);
    expect(server.received.at(-1)?.path).toContain('versionId=v8');
  });

  it.each([
    [
      'another object stands there',
      s3Failure(412, 'PreconditionFailed'),
      headReply({ etag: '"x"', 'x-amz-checksum-sha256': checksum.replace('q', 'r') }),
    ],
    ['another object of other size stands there', s3Failure(412, null), headReply({ 'content-length': '12' })],
    ['it is gone', s3Failure(412, null), s3Failure(404, null)],
    ['its version is gone, and another stands there', s3Failure(404, 'NoSuchVersion'), s3Failure(404, null)],
  ])('ends, with no byte used, where %s', async (_, get, head) => {
    const { server, store, counted } = await serving(({ method }) => (method === 'HEAD' ? head : get));
    await using _server = server;
    await using reader = await store.open(planned);
    await expect(reader.read([{ offset: 0, length: 4 }])).rejects.toMatchObject({ name: 'SourceChangedError' });
    expect(counted()).toEqual({ bytes: 0, requests: 0 });
  });

  it('ends where the object changes with every look', async () => {
    const { server, store } = await serving(({ method }) => (method === 'HEAD' ? headReply() : s3Failure(412, null)));
    await using _ = server;
    await using reader = await store.open(planned);
    await expect(reader.read([{ offset: 0, length: 4 }])).rejects.toMatchObject({ name: 'SourceChangedError' });
    expect(server.received.length).toBeLessThan(10);
  });

  it('asks again for a body that breaks off', async () => {
    const { server, store } = await serving((request, nth) => ({
      ...rangeReply(request, scene, {}),
      ...(nth === 1 ? { lost: 'half' } : {}),
    }));
    await using _ = server;
    await using reader = await store.open(planned);
    expect(await reader.read([{ offset: 0, length: 200_000 }])).toEqual([scene.slice(0, 200_000)]);
  });

  it('cuts its range out of the whole object where the store ignores ranges', async () => {
    const { server, store } = await serving(() => ({ status: 200, body: scene }));
    await using _ = server;
    await using reader = await store.open(planned);
    expect(await reader.read([{ offset: 70_000, length: 4 }])).toEqual([scene.slice(70_000, 70_004)]);
    expect(await reader.read([{ offset: 299_000, length: 1_000 }])).toEqual([scene.slice(299_000)]);
  });

  it('takes no other bytes than it asked for', async () => {
    const { server, store } = await serving(() => ({
      status: 206,
      headers: { 'content-range': 'bytes 0-7/300000' },
      body: scene.subarray(0, 8),
    }));
    await using _ = server;
    await using reader = await store.open(planned);
    await expect(reader.read([{ offset: 0, length: 4 }])).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('refuses a range beyond the end without a request', async () => {
    const { server, store } = await serving(() => ({}));
    await using _ = server;
    await using reader = await store.open(planned);
    await expect(reader.read([{ offset: scene.length - 1, length: 2 }])).rejects.toThrow(/ends early/);
    expect(server.received).toEqual([]);
  });

  it.each([
    [403, 'AccessDenied', 'access to it is denied'],
    [403, 'InvalidObjectState', 'it is archived'],
    [404, 'NoSuchBucket', 'there is no such bucket'],
  ])('says in one line what HTTP %d %s means', async (status, code, trait) => {
    const { server, store } = await serving(() => s3Failure(status, code));
    await using _ = server;
    await using reader = await store.open(planned);
    await expect(reader.read([{ offset: 0, length: 4 }])).rejects.toMatchObject({
      name: 'SourceError',
      message: `s3://scenes/L2A/a b+é.tif: ${trait}`,
    });
  });

  it('stops with the caller’s reason when its signal fires', async () => {
    const stop = new AbortController();
    const reason = new Error('the deadline is near');
    const { server, store } = await serving(() => {
      stop.abort(reason);
      return { lost: 'whole' };
    });
    await using _ = server;
    await using reader = await store.open(planned);
    await expect(reader.read([{ offset: 0, length: 4 }], stop.signal)).rejects.toBe(reason);
  });
});
