import { claimStoreContract } from '../contract/claim-store.contract.ts';
import { deadLettersContract } from '../contract/dead-letters.contract.ts';
import { manifestStoreContract } from '../contract/manifest-store.contract.ts';
import { objectStoreContract } from '../contract/object-store.contract.ts';
import { type QueueSubject, queueContract, uncountedPostponeContract } from '../contract/queue.contract.ts';
import type { Lent } from '../contract/contract.ts';
import { MemoryDeadLetters } from '../support/memory/dead-letters.ts';
import { MemoryEngine } from '../support/memory-engine.ts';

const queueSubject = (): Lent<QueueSubject> => {
  const { queue, clock } = new MemoryEngine();
  return {
    subject: {
      queue,
      advance: (ms) => clock.advance(ms),
      deadLetters: (name) => Promise.resolve(queue.deadLetters.filter((dead) => dead.queue === name)),
    },
  };
};

claimStoreContract('memory', () => ({ subject: new MemoryEngine().claims }));
objectStoreContract('memory', () => ({ subject: new MemoryEngine().objects }));
objectStoreContract('memory, without metadata', () => ({ subject: new MemoryEngine({ keepsDigest: false }).objects }));
manifestStoreContract('memory', () => ({ subject: new MemoryEngine().manifest }));
queueContract('memory', queueSubject);
uncountedPostponeContract('memory', queueSubject);
deadLettersContract('memory', () => {
  const { queue } = new MemoryEngine();
  return { subject: { queue, deadLetters: new MemoryDeadLetters(queue) } };
});
