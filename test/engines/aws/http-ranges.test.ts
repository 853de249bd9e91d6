import { describe, expect, it } from '@jest/globals';
import { HttpSourceStore, locateUrl } from '../../../lambda/engines/aws/http-source-store.ts';
import { type Received, type Reply, answeringServer, rangeReply } from './answering-server.ts';
import { hastyClock } from './test-clients.ts';

const scene = new Uint8Array(100_000).map((_, index) => (index * 13) & 255);
const dated = { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };

const serving = async (answer: (request: Received, nth: number) => Reply) => {
  const server = await answeringServer(answer);
  const store = new HttpSourceStore({ fetch, clock: hastyClock });
  return { server, store, at: locateUrl(`${server.endpoint}/L2A/B04.tif?v=1`) };
};

const ranged =
  (headers: Readonly<Record<string, string>>) =>
  (request: Received): Reply =>
    rangeReply(request, scene, headers);

describe('a document on the web', () => {
  it('is a bucket and a key by its URL', () => {
    expect(locateUrl('https://example.org/L2A/a%20b.tif?x=1')).toEqual({
      bucket: 'https://example.org',
      key: 'L2A/a%20b.tif?x=1',
    });
  });

  it('is looked at with one small request, and read by ranges', async () => {
    const { server, store, at } = await serving(ranged({ etag: '"e1"', ...dated }));
    await using _ = server;
    const look = await store.look(at.bucket, at.key);
    expect(look).toEqual({
      ...at,
      versionToken: 'e1',
      etag: 'e1',
      versionId: null,
      bytes: scene.length,
      uploadedAt: Date.UTC(2026, 0, 1),
    });
    if (look === null) return;
    await using reader = await store.open(look);
    const ranges = [
      { offset: 99_990, length: 10 },
      { offset: 3, length: 5 },
    ];
    expect(await reader.read(ranges)).toEqual(ranges.map(({ offset, length }) => scene.slice(offset, offset + length)));
    expect(server.received.map(({ path, headers }) => [path, headers.range, headers['accept-encoding']])).toEqual([
      ['/L2A/B04.tif?v=1', 'bytes=0-0', 'identity'],
      ['/L2A/B04.tif?v=1', 'bytes=3-7', 'identity'],
      ['/L2A/B04.tif?v=1', 'bytes=99990-99999', 'identity'],
    ]);
  });

  it('is versioned by a weak ETag too, or else by its time of change', async () => {
    for (const [headers, version] of [
      [{ etag: 'W/"weak"' }, 'weak'],
      [dated, dated['last-modified']],
    ] as const) {
      const { server, store, at } = await serving(ranged(headers));
      await using _ = server;
      const look = await store.look(at.bucket, at.key);
      expect(look?.versionToken).toBe(version);
      if (look === null) return;
      await using reader = await store.open(look);
      expect(await reader.read([{ offset: 1, length: 1 }])).toEqual([scene.slice(1, 2)]);
    }
  });

  it.each([
    ['tells no version', ranged({}), /tells no version/],
    ['serves no ranges', (): Reply => ({ body: scene, headers: { etag: '"e"' } }), /does not serve ranges/],
    ['hides its length', (): Reply => ({ status: 206, body: 'x', headers: { etag: '"e"' } }), /does not say how long/],
    ['wants credentials', (): Reply => ({ status: 401 }), /access to it is denied/],
  ])('is refused where its server %s', async (_, answer, message) => {
    const { server, store, at } = await serving(answer);
    await using _server = server;
    await expect(store.look(at.bucket, at.key)).rejects.toThrow(message);
  });

  it('is null where there is none', async () => {
    const { server, store, at } = await serving(() => ({ status: 404 }));
    await using _ = server;
    expect(await store.look(at.bucket, at.key)).toBeNull();
  });

  it.each([
    ['has another ETag', ranged({ etag: '"e2"' })],
    ['refuses the range', (): Reply => ({ status: 416 })],
    ['is gone', (): Reply => ({ status: 404 })],
  ])('ends the read where it %s since it was planned', async (_, answer) => {
    const { server, store, at } = await serving(answer);
    await using _server = server;
    const pinned = { ...at, versionToken: 'e1', etag: 'e1', versionId: null, bytes: scene.length };
    await using reader = await store.open(pinned);
    await expect(reader.read([{ offset: 0, length: 2 }])).rejects.toMatchObject({ name: 'SourceChangedError' });
  });

  it('is asked for again after a 503, a broken connection and a body that breaks off', async () => {
    const failures: Reply[] = [{ status: 503 }, { lost: 'whole' }];
    const { server, store, at } = await serving((request, nth) => {
      const reply = rangeReply(request, scene, { etag: '"e1"' });
      return failures[nth - 1] ?? (nth === 3 ? { ...reply, lost: 'half' } : reply);
    });
    await using _ = server;
    await using reader = await store.open({
      ...at,
      versionToken: 'e1',
      etag: 'e1',
      versionId: null,
      bytes: scene.length,
    });
    expect(await reader.read([{ offset: 0, length: 9_000 }])).toEqual([scene.slice(0, 9_000)]);
    expect(server.received).toHaveLength(4);
  });

  it('is out of reach after the last try', async () => {
    const { server, store, at } = await serving(() => ({ status: 503 }));
    await using _ = server;
    await expect(store.look(at.bucket, at.key)).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: expect.stringContaining('HTTP 503'),
    });
    expect(server.received).toHaveLength(4);
  });
});
