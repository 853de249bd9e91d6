import { describe, expect, it } from '@jest/globals';
import { listKeys } from '../../../lambda/engines/aws/list-keys.ts';
import { type Reply, answeringServer, s3Failure } from './answering-server.ts';
import { testS3 } from './test-clients.ts';

const page = (keys: readonly string[], next: string | null): Reply => ({
  body:
    `<ListBucketResult><IsTruncated>${next !== null}</IsTruncated>` +
    (next === null ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`) +
    `${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}</ListBucketResult>`,
});

describe('the keys below a prefix', () => {
  it('are collected over all pages, without folder markers', async () => {
    await using server = await answeringServer((_, nth) =>
      nth === 1 ? page(['L2A/', 'L2A/a b+é.tif'], 'more/==') : page(['L2A/c.tif'], null),
    );
    expect(await listKeys({ client: testS3(server.endpoint) }, 'scenes', 'L2A/')).toEqual([
      'L2A/a b+é.tif',
      'L2A/c.tif',
    ]);
    expect(
      server.received.map(({ path }) => new URL(path, 'http://s3').searchParams.get('continuation-token')),
    ).toEqual([null, 'more/==']);
    expect(server.received[0]?.headers['x-amz-request-payer']).toBeUndefined();
  });

  it('are asked for as a paying requester', async () => {
    await using server = await answeringServer(() => page([], null));
    expect(await listKeys({ client: testS3(server.endpoint), requesterPays: true }, 'scenes', '')).toEqual([]);
    expect(server.received[0]?.headers['x-amz-request-payer']).toBe('requester');
  });

  it.each([
    ['AccessDenied', 403, 'SourceError', /s3:\/\/scenes\/L2A\/: access to it is denied/],
    ['NoSuchBucket', 404, 'SourceError', /there is no such bucket/],
    ['SlowDown', 503, 'StoreUnavailableError', /SlowDown/],
    ['InvalidAccessKeyId', 403, 'StoreUnavailableError', /InvalidAccessKeyId/],
  ])('end with one line after %s', async (code, status, name, message) => {
    await using server = await answeringServer(() => s3Failure(status, code));
    await expect(listKeys({ client: testS3(server.endpoint) }, 'scenes', 'L2A/')).rejects.toMatchObject({
      name,
      message: expect.stringMatching(message),
    });
  });
});
