import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SqsDeadLetters } from '../../../lambda/engines/aws/dead-letters.ts';
import { type Received, type Reply, answeringServer, jsonFailure, jsonReply } from './answering-server.ts';
import { hastyClock, testSqs } from './test-clients.ts';

/** What a request says of its queue and message; empty where it says nothing. */
const inputOf = (request: Received) => {
  const input: Record<string, unknown> = JSON.parse(String(request.body));
  const text = (name: string): string => (typeof input[name] === 'string' ? input[name] : '');
  const queue = (text('QueueUrl') || text('SourceArn')).split('/').at(-1) ?? '';
  return { queue, body: text('MessageBody'), receipt: text('ReceiptHandle') };
};
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Dead-letter queues that each hold the given bodies until they are deleted. */
const serving = async (bodies: Readonly<Record<string, string[]>>, answer: (request: Received) => Reply | null) => {
  const shown = new Set<string>();
  const server = await answeringServer((request) => {
    const own = answer(request);
    if (own !== null) return own;
    const { queue, body } = inputOf(request);
    if (request.operation === 'GetQueueAttributes') {
      return jsonReply({
        Attributes: { QueueArn: `arn:${queue}`, ApproximateNumberOfMessages: String(bodies[queue]?.length ?? 0) },
      });
    }
    if (request.operation === 'SendMessage') {
      return jsonReply({ MessageId: 'new', MD5OfMessageBody: md5(body) });
    }
    if (request.operation !== 'ReceiveMessage' || shown.has(queue)) return jsonReply({});
    shown.add(queue);
    const Messages = (bodies[queue] ?? []).map((Body) => ({
      MessageId: Body,
      ReceiptHandle: `receipt of ${Body}`,
      Body,
      MD5OfBody: md5(Body),
      Attributes: { ApproximateReceiveCount: '4', SentTimestamp: '1000' },
    }));
    return jsonReply({ Messages });
  });
  const url = (name: string): string => `${server.endpoint}/000000000000/${name}`;
  const deadLetters = new SqsDeadLetters({
    client: testSqs(server.endpoint),
    urls: { scenes: url('scenes'), tiles: url('tiles'), assemblies: url('assemblies') },
    deadLetterUrls: { scenes: url('scenes-dead'), tiles: url('tiles-dead'), assemblies: url('assemblies-dead') },
    undeliveredUrl: url('undelivered'),
    clock: hastyClock,
  });
  const calls = (): string[] =>
    server.received
      .filter(({ operation }) => /SendMessage|DeleteMessage|MoveTask/.test(operation))
      .map((request) => {
        const { queue, body, receipt } = inputOf(request);
        return [request.operation, queue, body || receipt].join(' ').trim();
      });
  return { server, deadLetters, calls };
};

describe('dead letters in SQS', () => {
  it('of a whole queue are moved by a task of SQS, which is watched to its end', async () => {
    let looks = 0;
    const { server, deadLetters, calls } = await serving({ 'tiles-dead': ['a', 'b'] }, ({ operation }) => {
      if (operation === 'StartMessageMoveTask') return jsonReply({ TaskHandle: 'task' });
      if (operation !== 'ListMessageMoveTasks') return null;
      looks++;
      const Status = looks < 3 ? 'RUNNING' : 'COMPLETED';
      return jsonReply({ Results: [{ Status, ApproximateNumberOfMessagesMoved: looks < 3 ? looks - 1 : 2 }] });
    });
    await using _ = server;
    const progress: number[] = [];
    expect(await deadLetters.replayAll('tiles', (done) => progress.push(done))).toBe(2);
    expect(progress).toEqual([0, 1, 2]);
    expect(calls()[0]).toBe('StartMessageMoveTask arn:tiles-dead');
  });

  it('are sent and then deleted, one by one, where there is no such task', async () => {
    const { server, deadLetters, calls } = await serving({ 'tiles-dead': ['a'] }, ({ operation }) =>
      operation === 'StartMessageMoveTask' ? jsonFailure('UnsupportedOperation') : null,
    );
    await using _ = server;
    expect(await deadLetters.replayAll('tiles')).toBe(1);
    expect(calls().slice(1)).toEqual(['SendMessage tiles a', 'DeleteMessage tiles-dead receipt of a']);
  });

  it('stay where they are when the send fails', async () => {
    const { server, deadLetters, calls } = await serving({ 'tiles-dead': ['a'] }, ({ operation }) =>
      operation === 'SendMessage' ? jsonFailure('InternalError', {}, 500) : null,
    );
    await using _ = server;
    const letters = await deadLetters.list();
    await expect(deadLetters.replay(letters)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(calls().filter((call) => call.startsWith('DeleteMessage'))).toEqual([]);
  });

  it('that EventBridge could not deliver are copied to the scene queue', async () => {
    const { server, deadLetters, calls } = await serving({ undelivered: ['event'] }, ({ operation }) =>
      operation === 'StartMessageMoveTask' ? jsonFailure('UnsupportedOperation') : null,
    );
    await using _ = server;
    expect(await deadLetters.counts()).toEqual({ scenes: 1, tiles: 0, assemblies: 0 });
    expect(await deadLetters.replayAll('scenes')).toBe(1);
    expect(calls().slice(1)).toEqual(['SendMessage scenes event', 'DeleteMessage undelivered receipt of event']);
  });

  it('tell the receives they died of, without the one that shows them', async () => {
    const { server, deadLetters } = await serving({ 'tiles-dead': ['a'] }, () => null);
    await using _ = server;
    expect(await deadLetters.list()).toEqual([
      { id: 'a', queue: 'tiles', body: 'a', receiveCount: 3, reason: null, diedAt: 1000 },
    ]);
  });
});
