import { describe, expect, it } from '@jest/globals';
import { s3Client } from '../../../lambda/engines/aws/clients.ts';
import { S3SourceStore } from '../../../lambda/engines/aws/source-store.ts';
import { answeringServer, rangeReply, s3Failure } from './answering-server.ts';
import { checksum, headReply, planned, scene, serving } from './s3-scene.ts';

describe('a look at a source in S3', () => {
  it('takes the full SHA-256 for the version token, and asks for it', async () => {
    const { server, store } = await serving(() => headReply({ 'x-amz-version-id': 'v7' }));
    await using _ = server;
    expect(await store.look('scenes', planned.key)).toEqual({
      ...planned,
      versionId: 'v7',
      uploadedAt: Date.UTC(2026, 0, 1),
    });
    expect(server.received[0]?.headers['x-amz-checksum-mode']).toBe('ENABLED');
    expect(server.received[0]?.path).toBe('/scenes/L2A/a%20b%2B%C3%A9.tif');
  });

  it('takes the ETag where the checksum is one of parts, and no version id where it is null', async () => {
    const { server, store } = await serving(() =>
      headReply({
        etag: '"9b2cf5a1-3"',
        'x-amz-version-id': 'null',
        'x-amz-checksum-sha256': `${checksum}-3`,
        'x-amz-checksum-type': 'COMPOSITE',
      }),
    );
    await using _ = server;
    const look = await store.look('scenes', 'a.tif');
    expect(look).toMatchObject({ versionToken: '9b2cf5a1-3', etag: '9b2cf5a1-3', versionId: null });
  });

  it('is null where there is no such object, and an error where access is denied', async () => {
    const { server, store } = await serving((_, nth) => s3Failure(nth === 1 ? 404 : 403, null));
    await using _ = server;
    expect(await store.look('scenes', 'a.tif')).toBeNull();
    await expect(store.look('scenes', 'a.tif')).rejects.toMatchObject({
      name: 'SourceError',
      message: 's3://scenes/a.tif: access to it is denied',
      remedy: expect.stringContaining('s3:ListBucket'),
    });
  });

  it('fails closed while S3 is down', async () => {
    const { server, store } = await serving(() => s3Failure(503, null));
    await using _ = server;
    await expect(store.look('scenes', 'a.tif')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('pays where the requester pays', async () => {
    const { server, store } = await serving(
      (request) => (request.method === 'HEAD' ? headReply() : rangeReply(request, scene, {})),
      { requesterPays: true },
    );
    await using _ = server;
    await store.look('scenes', 'a.tif');
    await using reader = await store.open(planned);
    await reader.read([{ offset: 0, length: 4 }]);
    expect(server.received.map(({ headers }) => headers['x-amz-request-payer'])).toEqual(['requester', 'requester']);
  });

  it('is not signed where the client is anonymous', async () => {
    const server = await answeringServer(() => headReply());
    await using _ = server;
    const client = s3Client({ endpoint: server.endpoint, region: 'us-west-2', anonymous: true });
    await new S3SourceStore({ client }).look('scenes', 'a.tif');
    expect(server.received[0]?.headers.authorization).toBeUndefined();
  });
});
