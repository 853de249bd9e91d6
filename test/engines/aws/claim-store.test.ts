import { describe, expect, it } from '@jest/globals';
import { DynamoClaimStore } from '../../../lambda/engines/aws/claim-store.ts';
import { StoreUnavailableError } from '../../../lambda/errors.ts';
import { type Received, type Reply, answeringServer, jsonFailure, jsonReply } from './answering-server.ts';
import { testDynamo } from './test-clients.ts';

const request = { jobId: 'job', owner: 'me', now: 1_000, leaseUntil: 61_000, expiresAt: 90 };

const row = (owner: string, state = 'CLAIMED') => ({
  job_id: { S: 'job' },
  state: { S: state },
  owner: { S: owner },
  lease_until: { N: '60000' },
  claimed_at: { N: '0' },
  attempts: { N: '4' },
  ...(state === 'COMMITTED' ? { result: { S: '7' }, finished_at: { N: '5' } } : { expires_at: { N: '80' } }),
});

const refused = (Item?: object): Reply =>
  jsonFailure('ConditionalCheckFailedException', Item === undefined ? {} : { Item });

const serving = async (answer: (request: Received, nth: number) => Reply, maxAttempts = 1) => {
  const server = await answeringServer(answer);
  const store = new DynamoClaimStore({ client: testDynamo(server.endpoint, maxAttempts), table: 'claims' });
  return { server, store, operations: () => server.received.map(({ operation }) => operation) };
};

describe('claims in DynamoDB', () => {
  it('are won in one request, which tells a fresh job from a lapsed one', async () => {
    const { server, store, operations } = await serving((_, nth) =>
      jsonReply(nth === 1 ? {} : { Attributes: row('other') }),
    );
    await using _ = server;
    expect(await store.claim(request)).toMatchObject({ kind: 'won', tookOver: false, row: { attempts: 1 } });
    expect(await store.claim(request)).toMatchObject({
      kind: 'won',
      tookOver: true,
      row: { owner: 'me', attempts: 5 },
    });
    expect(operations()).toEqual(['UpdateItem', 'UpdateItem']);
  });

  it('are refused in one request, with the row that stands in the way', async () => {
    const { server, store, operations } = await serving((_, nth) =>
      refused(nth === 1 ? row('other') : row('other', 'COMMITTED')),
    );
    await using _ = server;
    expect(await store.claim(request)).toMatchObject({ kind: 'live', row: { owner: 'other', leaseUntil: 60_000 } });
    expect(await store.claim(request)).toMatchObject({ kind: 'committed', row: { result: '7', expiresAt: null } });
    expect(operations()).toEqual(['UpdateItem', 'UpdateItem']);
  });

  it('read the row consistently where the refusal does not bring it', async () => {
    const { server, store, operations } = await serving(({ operation }) =>
      operation === 'GetItem' ? jsonReply({ Item: row('other') }) : refused(),
    );
    await using _ = server;
    expect(await store.claim(request)).toMatchObject({ kind: 'live', row: { owner: 'other' } });
    expect(operations()).toEqual(['UpdateItem', 'GetItem']);
    expect(JSON.parse(String(server.received[1]?.body))).toMatchObject({ ConsistentRead: true });
  });

  it('ask again where the row expired between the refusal and the read', async () => {
    const { server, store } = await serving(({ operation }, nth) => {
      if (operation === 'GetItem') return jsonReply({});
      return nth === 1 ? refused() : jsonReply({});
    });
    await using _ = server;
    expect(await store.claim(request)).toMatchObject({ kind: 'won', tookOver: false });
  });

  it('survive a lost reply: the repeated claim is won, without another attempt', async () => {
    const { server, store } = await serving((_, nth) => {
      if (nth === 1) return { lost: 'whole' };
      return nth === 2 ? refused(row('me')) : jsonReply({ Attributes: row('me') });
    }, 2);
    await using _ = server;
    expect(await store.claim(request)).toMatchObject({ kind: 'won', tookOver: false, row: { attempts: 4 } });
    expect(server.received).toHaveLength(3);
  });

  it('are live when a rival took our lapsed lease while we asked for it again', async () => {
    const { server, store } = await serving((_, nth) => refused(nth === 1 ? row('me') : row('rival')));
    await using _ = server;
    expect(await store.claim(request)).toMatchObject({ kind: 'live', row: { owner: 'rival' } });
  });

  it('count a commit that is refused by our own commit as done, and one by another’s as lost', async () => {
    const { server, store } = await serving((_, nth) => refused(row(nth === 1 ? 'me' : 'rival', 'COMMITTED')));
    await using _ = server;
    expect(await store.commit({ ...request, result: '7' })).toBe('done');
    expect(await store.commit({ ...request, result: '7' })).toBe('lost');
  });

  it('count the release of our own lapsed lease as done', async () => {
    const { server, store } = await serving((_, nth) => refused(row(nth === 1 ? 'me' : 'rival')));
    await using _ = server;
    expect(await store.release(request)).toBe('done');
    expect(await store.release(request)).toBe('lost');
  });

  it('keep the reason of a release whose lease had lapsed, by a second update under the same condition', async () => {
    const { server, store } = await serving((_, nth) => (nth === 1 ? refused(row('me')) : jsonReply({})));
    await using _ = server;
    expect(await store.release({ ...request, error: 'too slow' })).toBe('done');
    const [first, second] = server.received.map(({ body }) => JSON.parse(String(body)));
    expect(first).toMatchObject({ UpdateExpression: 'SET #lease_until = :now, #last_error = :error' });
    expect(second).toMatchObject({
      UpdateExpression: 'SET #last_error = :error',
      ConditionExpression: '#state = :claimed AND #owner = :me',
    });
  });

  it.each([
    ['throttled', () => jsonFailure('ProvisionedThroughputExceededException')],
    ['failing', () => jsonFailure('InternalServerError', {}, 500)],
    ['out of reach', (): Reply => ({ lost: 'whole' })],
    ['not deployed', () => jsonFailure('ResourceNotFoundException')],
    ['closed to us', () => jsonFailure('AccessDeniedException')],
  ])('fail closed while the table is %s', async (_, reply) => {
    const { server, store } = await serving(reply);
    await using _server = server;
    const failure = await store.claim(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(failure).toMatchObject({
      message: expect.stringContaining('claims table claims'),
      cause: expect.anything(),
    });
  });

  it('let a defect of ours through as it is', async () => {
    const { server, store } = await serving(() => jsonFailure('ValidationException'));
    await using _ = server;
    await expect(store.get('job')).rejects.toMatchObject({ name: 'ValidationException' });
  });
});
