import assert from 'node:assert/strict';
import type { ClaimRequest, ClaimStore } from '../../lambda/gates/claim-store.ts';
import { type ContractCase, type MakeSubject, assertSame, contractTests } from './contract.ts';

const NOW = Date.UTC(2026, 0, 1);
const LEASE = 60_000;
const CENTURY = 100 * 365 * 86_400_000;

const by = (owner: string, now = NOW): ClaimRequest => ({
  jobId: 'job',
  owner,
  now,
  leaseUntil: now + LEASE,
  expiresAt: Math.floor(now / 1000) + 86_400,
});

const committedBy = async (store: ClaimStore, owner: string): Promise<void> => {
  await store.claim(by(owner));
  assert.equal(await store.commit({ jobId: 'job', owner, now: NOW + 5, result: '{"n":1}' }), 'done');
};

/** The rules of docs/design.md, section 4, as far as a store can be asked about them. */
export const claimStoreCases: readonly ContractCase<ClaimStore>[] = [
  {
    name: 'a first claim is won and its row reads back',
    run: async (store) => {
      assert.equal(await store.get('job'), null);
      const answer = await store.claim(by('a'));
      const row = {
        jobId: 'job',
        state: 'CLAIMED',
        owner: 'a',
        leaseUntil: NOW + LEASE,
        claimedAt: NOW,
        finishedAt: null,
        attempts: 1,
        result: null,
        expiresAt: by('a').expiresAt,
        lastError: null,
      };
      assertSame(answer, { kind: 'won', row, tookOver: false });
      assertSame(await store.get('job'), row);
    },
  },
  {
    name: 'of eight claims at once one wins, and the others see its row as live',
    run: async (store) => {
      const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const answers = await Promise.all(owners.map((owner) => store.claim(by(owner))));
      const winners = answers.filter(({ kind }) => kind === 'won');
      assert.equal(winners.length, 1);
      const losers = answers.filter(({ kind }) => kind === 'live');
      assert.equal(losers.length, 7);
      for (const loser of losers) assert.equal(loser.row.owner, winners[0]?.row.owner);
      assert.equal((await store.get('job'))?.attempts, 1);
    },
  },
  {
    name: 'a lease is live up to and including its last millisecond',
    run: async (store) => {
      await store.claim(by('a'));
      assert.equal((await store.claim(by('b', NOW + LEASE))).kind, 'live');
    },
  },
  {
    name: 'a lapsed lease is taken over, with one attempt more',
    run: async (store) => {
      await store.claim(by('a'));
      const answer = await store.claim(by('b', NOW + LEASE + 1));
      assert.equal(answer.kind, 'won');
      assert.equal(answer.kind === 'won' && answer.tookOver, true);
      const row = await store.get('job');
      assertSame([row?.owner, row?.attempts, row?.leaseUntil], ['b', 2, NOW + LEASE + 1 + LEASE]);
    },
  },
  {
    name: 'the same owner claims again after a lost reply, without another attempt',
    run: async (store) => {
      await store.claim(by('a'));
      for (const now of [NOW, NOW + LEASE * 2]) {
        const again = await store.claim(by('a', now));
        assert.equal(again.kind === 'won' && !again.tookOver, true);
        assert.equal(again.row.attempts, 1);
      }
    },
  },
  {
    name: 'a committed job is never won again, whatever its age and whoever asks',
    run: async (store) => {
      await committedBy(store, 'a');
      for (const request of [by('b'), by('b', NOW + CENTURY), by('a', NOW + CENTURY)]) {
        const answer = await store.claim(request);
        assert.equal(answer.kind, 'committed');
        assert.equal(answer.row.result, '{"n":1}');
      }
      assert.equal((await store.get('job'))?.owner, 'a');
    },
  },
  {
    name: 'a commit keeps the result and the time, and removes the time to live',
    run: async (store) => {
      await committedBy(store, 'a');
      const row = await store.get('job');
      assertSame(
        [row?.state, row?.result, row?.finishedAt, row?.expiresAt, row?.attempts],
        ['COMMITTED', '{"n":1}', NOW + 5, null, 1],
      );
    },
  },
  {
    name: 'a commit by a stale owner is lost and changes nothing',
    run: async (store) => {
      await store.claim(by('a'));
      await store.claim(by('b', NOW + LEASE + 1));
      const before = await store.get('job');
      assert.equal(await store.commit({ jobId: 'job', owner: 'a', now: NOW + LEASE + 2, result: '"stale"' }), 'lost');
      assertSame(await store.get('job'), before);
    },
  },
  {
    name: 'a commit over another owner’s commit is lost and keeps the first result',
    run: async (store) => {
      await committedBy(store, 'a');
      assert.equal(await store.commit({ jobId: 'job', owner: 'b', now: NOW + 9, result: '"late"' }), 'lost');
      assert.equal((await store.get('job'))?.result, '{"n":1}');
    },
  },
  {
    name: 'a commit of a job that nobody claimed is lost',
    run: async (store) => {
      assert.equal(await store.commit({ jobId: 'job', owner: 'a', now: NOW, result: '1' }), 'lost');
      assert.equal(await store.get('job'), null);
    },
  },
  {
    name: 'a commit that is repeated by its owner is done',
    run: async (store) => {
      await committedBy(store, 'a');
      assert.equal(await store.commit({ jobId: 'job', owner: 'a', now: NOW + 9, result: '{"n":1}' }), 'done');
      assert.equal((await store.get('job'))?.result, '{"n":1}');
    },
  },
  {
    name: 'a released job may be claimed by another right after, and its row is kept',
    run: async (store) => {
      await store.claim(by('a'));
      assert.equal(await store.release({ jobId: 'job', owner: 'a', now: NOW + 10 }), 'done');
      assert.equal((await store.get('job'))?.leaseUntil, NOW + 10);
      const answer = await store.claim(by('b', NOW + 11));
      assert.equal(answer.kind, 'won');
      assert.equal(answer.row.attempts, 2);
    },
  },
  {
    name: 'a release keeps what the work failed of, until the job is claimed again or committed',
    run: async (store) => {
      const lastError = async () => (await store.get('job'))?.lastError;
      const release = (owner: string, now: number, error?: string) =>
        store.release({ jobId: 'job', owner, now, ...(error === undefined ? {} : { error }) });
      await store.claim(by('a'));
      assert.equal(await release('b', NOW + 5, 'not mine'), 'lost');
      assert.equal(await lastError(), null);
      assert.equal(await release('a', NOW + 10, 'B04.tif: it ends early'), 'done');
      assert.equal(await lastError(), 'B04.tif: it ends early');
      await store.claim(by('b', NOW + 11));
      assert.equal(await lastError(), null);
      // A lease that has lapsed by then is not made longer, and its owner's reason is kept all the same.
      assert.equal(await release('b', NOW + 11 + 2 * LEASE, 'too slow'), 'done');
      assertSame([(await store.get('job'))?.leaseUntil, await lastError()], [NOW + 11 + LEASE, 'too slow']);
      await store.commit({ jobId: 'job', owner: 'b', now: NOW + 3 * LEASE, result: '1' });
      assert.equal(await lastError(), null);
    },
  },
  {
    name: 'a release by anyone but the owner is lost and the lease stands',
    run: async (store) => {
      assert.equal(await store.release({ jobId: 'job', owner: 'a', now: NOW }), 'lost');
      await store.claim(by('a'));
      assert.equal(await store.release({ jobId: 'job', owner: 'b', now: NOW + 10 }), 'lost');
      assert.equal((await store.claim(by('b', NOW + 11))).kind, 'live');
    },
  },
  {
    name: 'a release does not undo a commit',
    run: async (store) => {
      await committedBy(store, 'a');
      assert.equal(await store.release({ jobId: 'job', owner: 'a', now: NOW + 10 }), 'lost');
      assert.equal((await store.claim(by('b', NOW + LEASE * 2))).kind, 'committed');
    },
  },
  {
    name: 'the owner’s heartbeat keeps the lease, also one that lapsed and nobody took',
    run: async (store) => {
      await store.claim(by('a'));
      assert.equal(await store.extend({ jobId: 'job', owner: 'a', leaseUntil: NOW + 3 * LEASE }), 'done');
      assert.equal((await store.claim(by('b', NOW + 2 * LEASE))).kind, 'live');
      assert.equal(await store.extend({ jobId: 'job', owner: 'a', leaseUntil: NOW + 9 * LEASE }), 'done');
    },
  },
  {
    name: 'a heartbeat by anyone but the owner is lost, and so is one after the commit',
    run: async (store) => {
      await store.claim(by('a'));
      assert.equal(await store.extend({ jobId: 'job', owner: 'b', leaseUntil: NOW + 9 * LEASE }), 'lost');
      assert.equal((await store.get('job'))?.leaseUntil, NOW + LEASE);
      await store.claim(by('b', NOW + LEASE + 1));
      assert.equal(await store.extend({ jobId: 'job', owner: 'a', leaseUntil: NOW + 9 * LEASE }), 'lost');
      await store.commit({ jobId: 'job', owner: 'b', now: NOW + LEASE + 2, result: '1' });
      assert.equal(await store.extend({ jobId: 'job', owner: 'b', leaseUntil: NOW + 9 * LEASE }), 'lost');
    },
  },
  {
    name: 'who deletes takes a committed job, and a live one never',
    run: async (store) => {
      await committedBy(store, 'a');
      const taken = await store.seize(by('gc', NOW + 9));
      assert.equal(taken.kind, 'won');
      const row = await store.get('job');
      assertSame([row?.state, row?.owner, row?.result, row?.finishedAt], ['CLAIMED', 'gc', null, null]);
      assert.equal((await store.seize(by('b', NOW + 10))).kind, 'live');
      assert.equal((await store.claim(by('b', NOW + 10))).kind, 'live');
      assert.equal((await store.get('job'))?.owner, 'gc');
    },
  },
  {
    name: 'who deletes takes a job that nobody claimed, or whose lease is over',
    run: async (store) => {
      assert.equal((await store.seize(by('gc'))).kind, 'won');
      const answer = await store.seize(by('b', NOW + LEASE + 1));
      assertSame([answer.kind, answer.row.owner], ['won', 'b']);
      assert.equal((await store.seize(by('b', NOW + LEASE + 2))).kind, 'won');
    },
  },
  {
    name: 'of eight who delete at once one takes the job',
    run: async (store) => {
      await committedBy(store, 'z');
      const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const answers = await Promise.all(owners.map((owner) => store.seize(by(owner))));
      assert.equal(answers.filter(({ kind }) => kind === 'won').length, 1);
    },
  },
  {
    name: 'a claim is forgotten by its owner alone, and then the job is as new',
    run: async (store) => {
      await store.claim(by('a'));
      assert.equal(await store.forget({ jobId: 'job', owner: 'b' }), 'lost');
      assert.equal((await store.get('job'))?.owner, 'a');
      assert.equal(await store.forget({ jobId: 'job', owner: 'a' }), 'done');
      assert.equal(await store.get('job'), null);
      assert.equal(await store.forget({ jobId: 'job', owner: 'a' }), 'done');
      const answer = await store.claim(by('b', NOW + 1));
      assertSame([answer.kind, answer.row.attempts], ['won', 1]);
    },
  },
  {
    name: 'a committed claim is not forgotten',
    run: async (store) => {
      await committedBy(store, 'a');
      assert.equal(await store.forget({ jobId: 'job', owner: 'a' }), 'lost');
      assert.equal((await store.get('job'))?.state, 'COMMITTED');
    },
  },
];

/** Every adapter of ClaimStore passes these. */
export const claimStoreContract = (name: string, make: MakeSubject<ClaimStore>): void =>
  contractTests(`claim store: ${name}`, claimStoreCases, make);
