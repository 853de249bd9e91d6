import { openEmbeddedEngine, type EmbeddedEngine } from '../../../lambda/engines/embedded/index.ts';
import { claimStoreContract } from '../../contract/claim-store.contract.ts';
import type { Lent } from '../../contract/contract.ts';
import { deadLettersContract } from '../../contract/dead-letters.contract.ts';
import { manifestStoreContract } from '../../contract/manifest-store.contract.ts';
import { objectStoreContract } from '../../contract/object-store.contract.ts';
import { queueContract, type QueueSubject, uncountedPostponeContract } from '../../contract/queue.contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const lend = <T>(pick: (engine: EmbeddedEngine, clock: ManualClock) => T): Lent<T> => {
  const folder = temporaryFolder();
  const clock = new ManualClock();
  const engine = openEmbeddedEngine(folder.path, { now: clock.now, maxReceives: 3 });
  const dispose = (): void => {
    engine.close();
    folder.remove();
  };
  return { subject: pick(engine, clock), dispose };
};

const queueSubject = (): Lent<QueueSubject> =>
  lend(({ queue, deadLetters }, clock) => ({
    queue,
    advance: (ms) => clock.advance(ms),
    deadLetters: (name) => deadLetters.list(name),
  }));

claimStoreContract('embedded', () => lend(({ claims }) => claims));
objectStoreContract('embedded', () => lend(({ objects }) => objects));
manifestStoreContract('embedded', () => lend(({ manifest }) => manifest));
queueContract('embedded', queueSubject);
uncountedPostponeContract('embedded', queueSubject);
deadLettersContract('embedded', () => lend(({ queue, deadLetters }) => ({ queue, deadLetters })));
