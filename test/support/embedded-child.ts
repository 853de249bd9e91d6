import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedEngine } from '../../lambda/engines/embedded/index.ts';
import { textObject } from './objects.ts';

/**
 * Runs in a process of its own: `node embedded-child.ts race|hold FOLDER`. Says `ready`, waits for a message, and then
 * says what it got.
 */
const [, , task = '', folder = ''] = process.argv;
const LEASE = 600_000;
const JOBS = 40;

/** Tries to win every job and to create every object. */
const race = async (): Promise<{ won: number; created: number }> => {
  using engine = openEmbeddedEngine(folder, { now: Date.now, maxReceives: 3 });
  const owner = engine.processes.ownerOf('race');
  const score = { won: 0, created: 0 };
  for (let n = 0; n < JOBS; n++) {
    const now = Date.now();
    const request = { jobId: `job ${n}`, owner, now, leaseUntil: now + LEASE, expiresAt: 0 };
    if ((await engine.claims.claim(request)).kind === 'won') score.won += 1;
    const answer = await engine.objects.create(textObject(`tiles/scene/${n}.tif`, `${n} by ${owner}`));
    if (answer.kind === 'created') score.created += 1;
  }
  return score;
};

/** Holds a lease, a message and a half-written upload until it is killed. */
const hold = async (): Promise<string> => {
  const engine = openEmbeddedEngine(folder, { now: Date.now, maxReceives: 3 });
  const now = Date.now();
  const owner = engine.processes.ownerOf('hold');
  await engine.claims.claim({ jobId: 'held', owner, now, leaseUntil: now + LEASE, expiresAt: 0 });
  await engine.queue.receive('tiles', LEASE);
  const upload = await engine.objects.upload({ key: 'scenes/s/scene.tif', contentType: 'image/tiff', digest: 'd' });
  await upload.write(Buffer.from('half a mosaic'));
  return engine.processes.id;
};

const answer = async (): Promise<void> => {
  process.send?.(task === 'race' ? await race() : await hold());
  if (task === 'race') process.disconnect();
  else await pause(60_000);
};

process.once('message', () => void answer());
process.send?.('ready');
