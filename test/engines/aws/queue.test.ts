import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { MOST_HIDE_SECONDS, SqsQueue } from '../../../lambda/engines/aws/queue.ts';
import { type Received, type Reply, answeringServer, jsonFailure, jsonReply } from './answering-server.ts';
import { hastyClock, testSqs } from './test-clients.ts';

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
}

const entriesOf = (request: Received): readonly Entry[] => JSON.parse(String(request.body)).Entries;

const inputOf = (request: Received | undefined): Record<string, unknown> => JSON.parse(String(request?.body));

const confirmed = ({ Id, MessageBody }: Entry) => ({
  Id,
  MessageId: Id,
  MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
});

const failed = ({ Id }: Entry, SenderFault = false) => ({ Id, SenderFault, Code: 'InternalError', Message: 'busy' });

const serving = async (answer: (request: Received, nth: number) => Reply) => {
  const server = await answeringServer(answer);
  const url = (name: string): string => `${server.endpoint}/000000000000/${name}`;
  const urls = { scenes: url('scenes'), tiles: url('tiles'), assemblies: url('assemblies') };
  return { server, queue: new SqsQueue({ client: testSqs(server.endpoint), urls, clock: hastyClock, waitSeconds: 0 }) };
};

describe('sending to SQS', () => {
  it('confirms every body, ten to a request', async () => {
    const sent: string[] = [];
    const { server, queue } = await serving((request) => {
      const entries = entriesOf(request);
      sent.push(...entries.map(({ MessageBody }) => MessageBody));
      return jsonReply({ Successful: entries.map(confirmed) });
    });
    await using _ = server;
    const bodies = Array.from({ length: 45 }, (_unused, n) => `{"n":${n}}`);
    await queue.send('tiles', bodies, { delayMs: 1_500 });
    expect(sent.sort()).toEqual(bodies.sort());
    expect(server.received.map((request) => entriesOf(request).length).sort((a, b) => a - b)).toEqual([
      5, 10, 10, 10, 10,
    ]);
    expect(server.received.flatMap(entriesOf).map(({ DelaySeconds }) => DelaySeconds)).toEqual(bodies.map(() => 2));
  });

  it('repeats only the entries that failed', async () => {
    const { server, queue } = await serving((request, nth) => {
      const entries = entriesOf(request);
      const refused = nth === 1 ? entries.filter(({ Id }) => Number(Id) % 3 === 0) : [];
      const taken = entries.filter((entry) => !refused.includes(entry));
      return jsonReply({ Successful: taken.map(confirmed), Failed: refused.map((entry) => failed(entry)) });
    });
    await using _ = server;
    await queue.send('tiles', ['a', 'b', 'c', 'd', 'e']);
    expect(server.received.map((request) => entriesOf(request).map(({ MessageBody }) => MessageBody))).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['a', 'd'],
    ]);
  });

  it('takes an entry that the reply does not mention for not sent', async () => {
    const { server, queue } = await serving((request, nth) =>
      jsonReply({
        Successful: entriesOf(request)
          .slice(nth === 1 ? 1 : 0)
          .map(confirmed),
      }),
    );
    await using _ = server;
    await queue.send('tiles', ['a', 'b']);
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ['after six tries where SQS keeps failing', false, 6],
    ['at once where SQS finds fault with the message', true, 1],
  ])('throws %s', async (_, fault, requests) => {
    const { server, queue } = await serving((request) =>
      jsonReply({ Failed: entriesOf(request).map((entry) => failed(entry, fault)) }),
    );
    await using _server = server;
    await expect(queue.send('tiles', ['a'])).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: '1 messages to the queue tiles were refused: busy',
    });
    expect(server.received).toHaveLength(requests);
  });

  it('fails closed where the queue is not there', async () => {
    const { server, queue } = await serving(() => jsonFailure('QueueDoesNotExist'));
    await using _ = server;
    await expect(queue.send('tiles', ['a'])).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('refuses a body that no message can hold before it sends any', async () => {
    const { server, queue } = await serving(() => jsonReply({}));
    await using _ = server;
    await expect(queue.send('tiles', ['a', 'é'.repeat(131_073)])).rejects.toThrow(/262146 bytes long/);
    expect(server.received).toEqual([]);
  });
});

describe('a delivery of SQS', () => {
  it('carries body, receipt and receive count, and none is null', async () => {
    const message = { Body: '{}', ReceiptHandle: 'r1', MD5OfBody: '99914b932bd37a50b983c5e7c90ae93b' };
    const { server, queue } = await serving((_, nth) =>
      jsonReply(nth === 1 ? { Messages: [{ ...message, Attributes: { ApproximateReceiveCount: '3' } }] } : {}),
    );
    await using _ = server;
    expect(await queue.receive('tiles', 960_000)).toEqual({ body: '{}', receipt: 'r1', receiveCount: 3 });
    expect(await queue.receive('tiles', 960_000)).toBeNull();
    expect(inputOf(server.received[0])).toMatchObject({ VisibilityTimeout: 960, WaitTimeSeconds: 0 });
  });

  it.each([
    [930_001, 931],
    [0, 0],
    [24 * 3_600_000, MOST_HIDE_SECONDS],
  ])('is hidden for %d ms by %d whole seconds', async (ms, seconds) => {
    const { server, queue } = await serving(() => jsonReply({}));
    await using _ = server;
    await queue.hide('tiles', 'r1', ms);
    expect(inputOf(server.received[0])).toMatchObject({ ReceiptHandle: 'r1', VisibilityTimeout: seconds });
  });

  it.each([
    ['ReceiptHandleIsInvalid', {}],
    ['MessageNotInflight', {}],
    ['InvalidParameterValue', { message: 'Value r1 for parameter ReceiptHandle is invalid. Reason: it has expired.' }],
  ])('that is not the latest any more changes nothing (%s)', async (name, members) => {
    const { server, queue } = await serving(() => jsonFailure(name, members));
    await using _ = server;
    await expect(queue.acknowledge('tiles', 'r1')).resolves.toBeUndefined();
    await expect(queue.hide('tiles', 'r1', 0)).resolves.toBeUndefined();
    await expect(queue.postpone('tiles', 'r1', 0)).resolves.toBeUndefined();
  });

  it('is not acknowledged where SQS gives no answer', async () => {
    const { server, queue } = await serving(() => jsonFailure('ServiceUnavailable', {}, 503));
    await using _ = server;
    await expect(queue.acknowledge('tiles', 'r1')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });
});
