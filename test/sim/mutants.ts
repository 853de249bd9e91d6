import type { ClaimRow } from '../../lambda/gates/claim-store.ts';
import {
  ForgetsCommits,
  IgnoresOwner,
  KeepsTimeToLive,
  NeverTakesOver,
} from '../support/memory/broken-claim-stores.ts';
import { SeizesLiveLeases, StealsLeases } from '../support/memory/broken-claim-stores.ts';
import { IgnoresEtag, Overwrites } from '../support/memory/broken-stores.ts';
import { Faults } from '../support/memory/faults.ts';
import type { Mutant } from './mutant.ts';
import { listedByPrefix, namedAtRandom, objectFirst, rowFirst } from './mutant-stores.ts';
import { UnpinnedPool } from './mutant-pool.ts';

export interface NamedMutant {
  readonly name: string;
  readonly mutant: Mutant;
}

/** Each rule of the protocol taken out, one at a time. */
export const MUTANTS: readonly NamedMutant[] = [
  {
    name: 'the commit does not carry the owner',
    mutant: { stores: () => ({ claims: new IgnoresOwner(new Faults()) }) },
  },
  {
    name: 'a message that meets a live lease is acknowledged',
    mutant: {
      work: (work) => async (body, signal) => {
        await work(body, signal);
        return { kind: 'done' };
      },
    },
  },
  {
    name: 'a message that waits is never replaced, so its waiting is counted',
    mutant: { timing: (timing) => ({ ...timing, maxReceives: Number.POSITIVE_INFINITY }) },
  },
  {
    name: 'a 409 is taken for "present"',
    mutant: {
      context: (context) => ({
        ...context,
        objects: {
          ...context.objects,
          create: async (object) => {
            const answer = await context.objects.create(object);
            return answer.kind === 'conflict' ? { kind: 'created', etag: 'assumed' } : answer;
          },
        },
      }),
    },
  },
  {
    name: 'the claim is made after the work',
    mutant: {
      context: (context) => {
        const { claims } = context;
        const asked = new Map<string, Parameters<typeof claims.claim>[0]>();
        return {
          ...context,
          claims: {
            ...claims,
            claim: async (request) => {
              asked.set(request.owner, request);
              return { kind: 'won', row: claimOf(request), tookOver: false };
            },
            commit: async (request) => {
              const claim = asked.get(request.owner);
              if (claim !== undefined && (await claims.claim(claim)).kind !== 'won') return 'done';
              return claims.commit(request);
            },
          },
        };
      },
    },
  },
  { name: 'an output key holds a random part', mutant: { context: namedAtRandom } },
  {
    name: 'the PUT is unconditional',
    mutant: { stores: (now) => ({ objects: new Overwrites(new Faults(), { now }) }) },
  },
  {
    name: 'a COMMITTED row keeps its time to live',
    mutant: { stores: () => ({ claims: new KeepsTimeToLive(new Faults()) }) },
  },
  {
    name: 'a COMMITTED row may run again after an hour',
    mutant: { stores: () => ({ claims: new ForgetsCommits(new Faults()) }) },
  },
  { name: 'the row is written before its object', mutant: { context: rowFirst } },
  { name: 'the assembly lists a prefix', mutant: { context: listedByPrefix } },
  {
    name: 'a 412 is taken for our own object without a look at its digest',
    mutant: {
      context: (context) => ({
        ...context,
        objects: {
          ...context.objects,
          create: async (object) => {
            const answer = await context.objects.create(object);
            if (answer.kind !== 'exists') return answer;
            const present = await context.objects.head(object.key);
            return present === null ? answer : { kind: 'created', etag: present.etag };
          },
        },
      }),
    },
  },
  {
    name: 'the pixel version is in no identity and on no plan',
    mutant: { context: (context) => ({ ...context, pixelVersion: 1 }) },
  },
  {
    name: 'garbage is collected without the claim',
    mutant: {
      context: (context) => ({
        ...context,
        claims: {
          ...context.claims,
          seize: async (request) =>
            request.owner.startsWith('gc')
              ? { kind: 'won', row: claimOf(request), tookOver: false }
              : context.claims.seize(request),
          forget: async (request) => (request.owner.startsWith('gc') ? 'done' : context.claims.forget(request)),
        },
      }),
    },
  },
  {
    name: 'who deletes takes a live lease, too',
    mutant: { stores: () => ({ claims: new SeizesLiveLeases(new Faults()) }) },
  },
  {
    name: 'who deletes, deletes the object before its row',
    mutant: { context: objectFirst },
  },
  {
    name: 'who deletes leaves the claim of what was done',
    mutant: { context: (context) => ({ ...context, claims: { ...context.claims, forget: async () => 'done' } }) },
  },
  {
    name: 'an overwrite replaces whatever stands there',
    mutant: { stores: (now) => ({ objects: new IgnoresEtag(new Faults(), { now }) }) },
  },
  {
    name: 'an overwrite leaves the row as it was',
    mutant: {
      context: (context) => ({ ...context, manifest: { ...context.manifest, replaceRow: async () => true } }),
    },
  },
  {
    name: 'the reaper does not move next_heal_at',
    mutant: {
      context: (context, { manifest }) => ({
        ...context,
        manifest: {
          ...context.manifest,
          listUnfinished: async () =>
            (await context.manifest.listUnfinished()).map((record) => ({ ...record, nextHealAt: 0 })),
          postponeHeal: async (id, _expected, next, look) => {
            const record = await manifest.getPlan(id);
            if (record !== null) await context.manifest.postponeHeal(id, record.nextHealAt, next, look);
            return true;
          },
        },
      }),
    },
  },
  {
    name: 'a COMMITTED fan-out drops its message, whatever the scene lacks',
    mutant: {
      context: (context) => {
        let refused = false;
        const unless = <T>(act: () => Promise<T>, otherwise: T): Promise<T> =>
          refused ? Promise.resolve(otherwise) : act();
        return {
          ...context,
          claims: {
            ...context.claims,
            claim: async (request) => {
              const answer = await context.claims.claim(request);
              refused = answer.kind === 'committed';
              return answer;
            },
          },
          manifest: {
            ...context.manifest,
            reopenPlan: (id) => unless(() => context.manifest.reopenPlan(id), false),
          },
          queue: {
            ...context.queue,
            send: (queue, bodies, options) => unless(() => context.queue.send(queue, bodies, options), undefined),
          },
        };
      },
    },
  },
  {
    name: 'sources are read without their pins',
    mutant: { pool: (stores, version) => new UnpinnedPool(stores, version) },
  },
  { name: 'a live lease may be taken', mutant: { stores: () => ({ claims: new StealsLeases(new Faults()) }) } },
  {
    name: 'a lapsed lease is never taken over',
    mutant: { stores: () => ({ claims: new NeverTakesOver(new Faults()) }) },
  },
  {
    name: 'the lease is shorter than the ceiling',
    mutant: { context: (context) => ({ ...context, claimTiming: { ...context.claimTiming, leaseMs: 300_000 } }) },
  },
];

/** The row that a claim would have made. */
const claimOf = (
  request: Pick<ClaimRow, 'jobId' | 'owner' | 'leaseUntil'> & { expiresAt: number; now: number },
): ClaimRow => ({
  jobId: request.jobId,
  owner: request.owner,
  leaseUntil: request.leaseUntil,
  expiresAt: request.expiresAt,
  state: 'CLAIMED',
  claimedAt: request.now,
  finishedAt: null,
  attempts: 1,
  result: null,
  lastError: null,
});
