import assert from 'node:assert/strict';
import type { DeadLetterStore } from '../../lambda/gates/dead-letters.ts';
import type { Queue } from '../../lambda/gates/queue.ts';
import { type ContractCase, type MakeSubject, assertSame, contractTests } from './contract.ts';

/** Queues that give a message up after three receives, and their dead letters. */
export interface DeadLettersSubject {
  readonly queue: Queue;
  readonly deadLetters: DeadLetterStore;
}

/** Sends bodies and fails to work on them until the queue gives them up. */
const bury = async ({ queue }: DeadLettersSubject, name: 'tiles' | 'assemblies', bodies: string[]): Promise<void> => {
  await queue.send(name, bodies);
  for (let receives = 0; receives < bodies.length * 3; receives++) {
    const delivery = await queue.receive(name, 30_000);
    if (delivery !== null) await queue.hide(name, delivery.receipt, 0, 'broken');
  }
  assert.equal(await queue.receive(name, 30_000), null);
};

const bodiesIn = async ({ queue }: DeadLettersSubject, name: 'tiles' | 'assemblies'): Promise<string[]> => {
  const bodies: string[] = [];
  for (;;) {
    const delivery = await queue.receive(name, 30_000);
    if (delivery === null) return bodies.toSorted();
    assert.equal(delivery.receiveCount, 1);
    bodies.push(delivery.body);
  }
};

/** The rules of docs/design.md, section 7, for what a queue has given up. */
export const deadLetterCases: readonly ContractCase<DeadLettersSubject>[] = [
  {
    name: 'dead letters are listed with their queue and body, and stay where they are',
    run: async (subject) => {
      await bury(subject, 'tiles', ['{"n":1}', '{"n":2}']);
      await bury(subject, 'assemblies', ['{"n":3}']);
      const letters = await subject.deadLetters.list();
      const told = letters.map(({ queue, body, receiveCount }) => `${queue} ${body} ${receiveCount}`).toSorted();
      assertSame(told, ['assemblies {"n":3} 3', 'tiles {"n":1} 3', 'tiles {"n":2} 3']);
      await subject.deadLetters.putBack(letters);
      assertSame(await subject.deadLetters.counts(), { scenes: 0, tiles: 2, assemblies: 1 });
      assertSame(await bodiesIn(subject, 'tiles'), []);
    },
  },
  {
    name: 'the letters that were picked go back to where they died, once, their receives counted anew',
    run: async (subject) => {
      await bury(subject, 'tiles', ['{"n":1}', '{"n":2}', '{"n":3}']);
      const letters = await subject.deadLetters.list();
      const picked = letters.filter(({ body }) => body !== '{"n":2}');
      assert.equal(await subject.deadLetters.replay(picked), 2);
      assert.equal(await subject.deadLetters.replay(picked), 0);
      await subject.deadLetters.putBack(letters);
      assertSame(await bodiesIn(subject, 'tiles'), ['{"n":1}', '{"n":3}']);
      assertSame(await subject.deadLetters.counts(), { scenes: 0, tiles: 1, assemblies: 0 });
    },
  },
  {
    name: 'all of one queue go back, and no other queue’s',
    run: async (subject) => {
      await bury(subject, 'tiles', ['{"n":1}', '{"n":2}']);
      await bury(subject, 'assemblies', ['{"n":3}']);
      assert.equal(await subject.deadLetters.replayAll('tiles'), 2);
      assertSame(await bodiesIn(subject, 'tiles'), ['{"n":1}', '{"n":2}']);
      assertSame(await bodiesIn(subject, 'assemblies'), []);
      assertSame(await subject.deadLetters.counts(), { scenes: 0, tiles: 0, assemblies: 1 });
    },
  },
];

/** Every adapter of DeadLetterStore passes these. */
export const deadLettersContract = (name: string, make: MakeSubject<DeadLettersSubject>): void =>
  contractTests(`dead letters: ${name}`, deadLetterCases, make);
