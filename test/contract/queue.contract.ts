import assert from 'node:assert/strict';
import type { DeadLetter, Delivery, Queue, QueueName } from '../../lambda/gates/queue.ts';
import { type ContractCase, type MakeSubject, assertSame, contractTests } from './contract.ts';

/** A queue that gives a message up after three receives, and a way to let time pass. */
export interface QueueSubject {
  readonly queue: Queue;
  advance(ms: number): Promise<void>;
  deadLetters(queue: QueueName): Promise<readonly DeadLetter[]>;
}

/** Whole seconds, because SQS knows no others. */
const VISIBILITY = 2_000;
const LATER = VISIBILITY + 1_000;

const receiveTile = ({ queue }: QueueSubject): Promise<Delivery<string> | null> => queue.receive('tiles', VISIBILITY);

const receiptFrom = async (subject: QueueSubject): Promise<string> => {
  const delivery = await receiveTile(subject);
  assert.notEqual(delivery, null);
  return delivery?.receipt ?? '';
};

/** The rules that docs/design.md, section 4, builds on. */
export const queueCases: readonly ContractCase<QueueSubject>[] = [
  {
    name: 'every body that was sent is received once while it is hidden',
    run: async (subject) => {
      const bodies = Array.from({ length: 25 }, (_, n) => `{"n":${n},"name":"é"}`);
      await subject.queue.send('tiles', bodies);
      const received: string[] = [];
      for (;;) {
        const delivery = await subject.queue.receive('tiles', 60_000);
        if (delivery === null) break;
        assert.equal(delivery.receiveCount, 1);
        received.push(delivery.body);
      }
      assertSame(received.sort(), bodies.sort());
    },
  },
  {
    name: 'queues do not see each other’s messages',
    run: async (subject) => {
      await subject.queue.send('scenes', ['{}']);
      assert.equal(await receiveTile(subject), null);
      assert.notEqual(await subject.queue.receive('scenes', VISIBILITY), null);
    },
  },
  {
    name: 'of eight receivers at once one gets the message',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      const deliveries = await Promise.all(Array.from({ length: 8 }, () => receiveTile(subject)));
      assert.equal(deliveries.filter((delivery) => delivery !== null).length, 1);
    },
  },
  {
    name: 'an unacknowledged message comes back after its visibility, counted',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      assert.equal((await receiveTile(subject))?.receiveCount, 1);
      assert.equal(await receiveTile(subject), null);
      await subject.advance(LATER);
      assert.equal((await receiveTile(subject))?.receiveCount, 2);
    },
  },
  {
    name: 'an acknowledged message never comes back',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      await subject.queue.acknowledge('tiles', await receiptFrom(subject));
      await subject.advance(LATER);
      assert.equal(await receiveTile(subject), null);
      assertSame(await subject.deadLetters('tiles'), []);
    },
  },
  {
    name: 'a stale receipt neither removes nor moves the message',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      const stale = await receiptFrom(subject);
      await subject.advance(LATER);
      await receiptFrom(subject);
      await subject.queue.acknowledge('tiles', stale);
      await subject.queue.hide('tiles', stale, 0);
      await subject.queue.postpone('tiles', stale, 0);
      assert.equal(await receiveTile(subject), null);
      await subject.advance(LATER);
      assert.equal((await receiveTile(subject))?.receiveCount, 3);
    },
  },
  {
    name: 'a message that was received three times is dead-lettered instead of a fourth',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{"poison":true}']);
      for (let receive = 1; receive <= 3; receive++) {
        assert.equal((await receiveTile(subject))?.receiveCount, receive);
        assertSame(await subject.deadLetters('tiles'), []);
        await subject.advance(LATER);
      }
      assert.equal(await receiveTile(subject), null);
      const dead = await subject.deadLetters('tiles');
      assertSame(
        dead.map(({ queue, body, receiveCount }) => ({ queue, body, receiveCount })),
        [{ queue: 'tiles', body: '{"poison":true}', receiveCount: 3 }],
      );
      assertSame(await subject.deadLetters('scenes'), []);
      await subject.advance(LATER);
      assert.equal(await receiveTile(subject), null);
    },
  },
  {
    name: 'hidden for nothing a message is visible at once, and the receive counts',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      await subject.queue.hide('tiles', await receiptFrom(subject), 0);
      assert.equal((await receiveTile(subject))?.receiveCount, 2);
    },
  },
  {
    name: 'hidden for longer a message stays away for longer',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      await subject.queue.hide('tiles', await receiptFrom(subject), 3 * LATER);
      await subject.advance(LATER);
      assert.equal(await receiveTile(subject), null);
      await subject.advance(3 * LATER);
      assert.notEqual(await receiveTile(subject), null);
    },
  },
  {
    name: 'the last reason stands in the dead letter, where the engine keeps it',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      for (const reason of ['first', 'second', 'third']) {
        await subject.queue.hide('tiles', await receiptFrom(subject), 0, reason);
      }
      assert.equal(await receiveTile(subject), null);
      const [dead] = await subject.deadLetters('tiles');
      assert.ok(dead?.reason === 'third' || dead?.reason === null);
    },
  },
  {
    name: 'a delayed message is not there before its time',
    run: async (subject) => {
      await subject.queue.send('scenes', ['{}'], { delayMs: LATER });
      assert.equal(await subject.queue.receive('scenes', VISIBILITY), null);
      await subject.advance(LATER + 1_000);
      assert.notEqual(await subject.queue.receive('scenes', VISIBILITY), null);
    },
  },
];

/** For engines that can take a receive off the count (SQS cannot). */
export const uncountedPostponeCases: readonly ContractCase<QueueSubject>[] = [
  {
    name: 'a message that is postponed again and again is never dead-lettered',
    run: async (subject) => {
      await subject.queue.send('tiles', ['{}']);
      for (let wait = 0; wait < 8; wait++) {
        const receipt = await receiptFrom(subject);
        await subject.queue.postpone('tiles', receipt, VISIBILITY);
        await subject.queue.postpone('tiles', receipt, VISIBILITY);
        assert.equal(await receiveTile(subject), null);
        await subject.advance(LATER);
      }
      assert.equal((await receiveTile(subject))?.receiveCount, 1);
    },
  },
];

/** Every adapter of Queue passes these. */
export const queueContract = (name: string, make: MakeSubject<QueueSubject>): void =>
  contractTests(`queue: ${name}`, queueCases, make);

export const uncountedPostponeContract = (name: string, make: MakeSubject<QueueSubject>): void =>
  contractTests(`queue that can uncount: ${name}`, uncountedPostponeCases, make);
