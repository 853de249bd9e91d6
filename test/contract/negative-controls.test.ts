import { describe, expect, it } from '@jest/globals';
import type { ClaimStore } from '../../lambda/gates/claim-store.ts';
import type { ManifestStore } from '../../lambda/gates/manifest-store.ts';
import type { ObjectStore } from '../../lambda/gates/object-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import * as claims from '../support/memory/broken-claim-stores.ts';
import * as broken from '../support/memory/broken-stores.ts';
import { Faults } from '../support/memory/faults.ts';
import { ListsOnce, ReplaysAgain, ReplaysEveryQueue } from '../support/memory/broken-dead-letters.ts';
import type { MemoryDeadLetters } from '../support/memory/dead-letters.ts';
import { MemoryEngine } from '../support/memory-engine.ts';
import type { MemoryQueue, MemoryQueueOptions } from '../support/memory/queue.ts';
import { claimStoreCases } from './claim-store.contract.ts';
import { brokenRules } from './contract.ts';
import { deadLetterCases } from './dead-letters.contract.ts';
import { manifestStoreCases } from './manifest-store.contract.ts';
import { objectStoreCases } from './object-store.contract.ts';
import { queueCases, uncountedPostponeCases } from './queue.contract.ts';

type Made<Store> = new (faults: Faults) => Store;

const claimControls: [rule: string, Broken: Made<ClaimStore>][] = [
  ['a commit by a stale owner is lost and changes nothing', claims.IgnoresOwner],
  ['a release by anyone but the owner is lost and the lease stands', claims.IgnoresOwner],
  ['a heartbeat by anyone but the owner is lost, and so is one after the commit', claims.IgnoresOwner],
  ['a committed job is never won again, whatever its age and whoever asks', claims.ForgetsCommits],
  ['a lease is live up to and including its last millisecond', claims.StealsLeases],
  ['a lapsed lease is taken over, with one attempt more', claims.NeverTakesOver],
  ['the same owner claims again after a lost reply, without another attempt', claims.RefusesOwner],
  ['a commit keeps the result and the time, and removes the time to live', claims.KeepsTimeToLive],
  ['a released job may be claimed by another right after, and its row is kept', claims.DeletesOnRelease],
  ['a release keeps what the work failed of, until the job is claimed again or committed', claims.KeepsErrors],
  ['of eight claims at once one wins, and the others see its row as live', claims.ReadsThenWrites],
  ['a claim is forgotten by its owner alone, and then the job is as new', claims.IgnoresOwner],
  ['who deletes takes a committed job, and a live one never', claims.SeizesLiveLeases],
  ['of eight who delete at once one takes the job', claims.SeizesLiveLeases],
  ['who deletes takes a committed job, and a live one never', claims.NeverSeizesCommits],
];

const objectControls: [rule: string, Broken: Made<ObjectStore>][] = [
  ['a second create sees that it exists, and the bytes stay the first one’s', broken.Overwrites],
  ['an upload that a rival overtook exists at its completion and changes nothing', broken.Overwrites],
  ['of sixteen creates at once one wins, and the object is the winner’s', broken.LooksThenPuts],
  ['a replace with another etag is a mismatch and changes nothing', broken.IgnoresEtag],
  ['of eight replaces at once with one etag one wins', broken.IgnoresEtag],
  ['a remove with another etag leaves the object, with the inspected one it is gone', broken.IgnoresEtag],
  ['a replace of what is gone is a mismatch and creates nothing', broken.ReplacesNothing],
  ['an object is not opened under an etag that it does not have', broken.OpensAnything],
  ['an upload is invisible until it is completed, then whole', broken.ShowsUploads],
  ['an aborted upload leaves nothing and cannot be completed', broken.ShowsUploads],
  ['an upload over an object that is no longer the inspected one changes nothing', broken.UploadsOverAnything],
  ['an upload over an object that is gone creates none', broken.UploadsOverAnything],
  ['a listing has the keys of its prefix in order, with their sizes, and not what was removed', broken.ListsEverything],
  ['of a removed object no version is left once they are erased, and other keys keep theirs', broken.ErasesByPrefix],
  ['an object that stands again where one was removed is left when versions are erased', broken.ErasesObjects],
];

const manifestControls: [rule: string, Broken: Made<ManifestStore>][] = [
  ['a second plan of a scene exists and changes nothing', broken.PutsRows],
  ['of eight plans at once one is created', broken.PutsRows],
  ['a second row of a window exists and changes nothing', broken.PutsRows],
  ['of eight rows of one window at once one is created', broken.PutsRows],
  ['a plan is closed only while it is open, and keeps the reason', broken.IgnoresState],
  ['a superseded or failed plan may be opened again, no other', broken.IgnoresState],
  ['a scene’s rows are counted and listed by window name, without another scene’s', broken.ListsByPrefix],
  ['a plan is moved only from the states that were named', broken.IgnoresState],
  ['a row is replaced only while its object is the inspected one', broken.IgnoresRowEtag],
  ['the unfinished plans are those that are OPEN or FAILED, and no rows', broken.NeverFinishes],
  ['of eight replacements of one row at once one is made', broken.IgnoresRowEtag],
  ['a row is deleted only while its object is the inspected one', broken.IgnoresRowEtag],
  ['a postponed healing keeps what the reaper saw, and what it saw before where it says nothing', broken.ForgetsHeals],
];

const queueControls: [rule: string, Broken: new (faults: Faults, options: MemoryQueueOptions) => MemoryQueue][] = [
  ['a stale receipt neither removes nor moves the message', broken.TakesStaleReceipts],
  ['a message that was received three times is dead-lettered instead of a fourth', broken.NeverGivesUp],
  ['a message that was received three times is dead-lettered instead of a fourth', broken.GivesUpEarly],
  ['of eight receivers at once one gets the message', broken.HidesNothing],
  ['an unacknowledged message comes back after its visibility, counted', broken.DeliversAtMostOnce],
  ['a message that is postponed again and again is never dead-lettered', broken.CountsWaits],
];

const deadLetterControls: [rule: string, Broken: new (queue: MemoryQueue) => MemoryDeadLetters][] = [
  ['the letters that were picked go back to where they died, once, their receives counted anew', ReplaysAgain],
  ['all of one queue go back, and no other queue’s', ReplaysEveryQueue],
  ['dead letters are listed with their queue and body, and stay where they are', ListsOnce],
];

describe('the contract suites notice a store that breaks a rule', () => {
  it.each(claimControls)('claims: %s', async (rule, Broken) => {
    expect(await brokenRules(claimStoreCases, () => ({ subject: new Broken(new Faults()) }))).toContain(rule);
  });

  it.each(objectControls)('objects: %s', async (rule, Broken) => {
    expect(await brokenRules(objectStoreCases, () => ({ subject: new Broken(new Faults()) }))).toContain(rule);
  });

  it.each(manifestControls)('manifest: %s', async (rule, Broken) => {
    expect(await brokenRules(manifestStoreCases, () => ({ subject: new Broken(new Faults()) }))).toContain(rule);
  });

  it.each(deadLetterControls)('dead letters: %s', async (rule, Broken) => {
    const failing = await brokenRules(deadLetterCases, () => {
      const { queue } = new MemoryEngine();
      return { subject: { queue, deadLetters: new Broken(queue) } };
    });
    expect(failing).toContain(rule);
  });

  it.each(queueControls)('queue: %s', async (rule, Broken) => {
    const failing = await brokenRules([...queueCases, ...uncountedPostponeCases], () => {
      const clock = new ManualClock();
      const queue = new Broken(new Faults(), { now: clock.now, maxReceives: 3 });
      const deadLetters = async () => queue.deadLetters.filter((dead) => dead.queue === 'tiles');
      return { subject: { queue, advance: (ms) => clock.advance(ms), deadLetters } };
    });
    expect(failing).toContain(rule);
  });
});
