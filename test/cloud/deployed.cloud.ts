import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mosaicKey, previewKey, tileKey } from '../../lambda/identity/output-keys.ts';
import { parseWindowMessage } from '../../lambda/pipeline/messages.ts';
import { describeWith } from '../support/requirements.ts';
import { runCommand } from '../support/run-command.ts';
import { replay, takeDeadLetter } from './dead-letter.ts';
import { DeployedApp, PIPELINE, sha256, until } from './deployed-app.ts';
import { type Survived, surviveFaults } from './fault-scenario.ts';
import { type CrashPoint, crashAt, isObjectWrite, withoutPrecondition } from './faults.ts';
import { deadLetters, deviations } from './once-in-effect.ts';
import { idleReasons, unusedGrants, usedPermissions } from './permission-use.ts';
import { isUnconditionalWrite } from './recorded-calls.ts';
import { isFinished, uploadScene } from './uploaded-scene.ts';

const MINUTES = 60_000;

let running: DeployedApp | null = null;
const theApp = (): DeployedApp => running ?? assert.fail('nothing is deployed');

describeWith(['Python'], 'the app, deployed by cdk deploy', () => {
  beforeAll(async () => {
    running = await DeployedApp.start();
  }, 10 * MINUTES);

  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
  }, MINUTES);

  it(
    'makes of two uploads, and nothing else, what the command makes of the same files, byte for byte',
    async () => {
      const app = theApp();
      const { id, red } = await uploadScene(app, 'plain', 640);
      const local = await runCommand(await app.folder('embedded'), PIPELINE, red);
      await until('scene plain is assembled', () => isFinished(app, id), 480);
      expect(local.windows).toBe(400);
      expect(await deviations(app, id, 400)).toEqual([]);

      const scene = dirname(local.mosaic);
      const folder = join(dirname(dirname(scene)), 'tiles', local.scene);
      const tiles = (await readdir(folder)).toSorted();
      expect(await app.versions(`tiles/${id}/`)).toEqual(tiles.map((name) => `tiles/${id}/${name}`));
      for (const name of tiles) {
        const theirs = sha256(await readFile(join(folder, name)));
        expect([name, sha256(await app.object(`tiles/${id}/${name}`))]).toEqual([name, theirs]);
      }
      expect(sha256(await app.object(mosaicKey(id)))).toBe(sha256(await readFile(local.mosaic)));
      expect(sha256(await app.object(previewKey(id)))).toBe(sha256(await readFile(join(scene, 'preview.png'))));
      expect(await deadLetters(app)).toEqual([]);
    },
    10 * MINUTES,
  );

  describe('under every fault at once', () => {
    let survived: Survived | null = null;
    const scenes = (): Survived => survived ?? assert.fail('the scenes did not survive');

    beforeAll(async () => {
      survived = await surviveFaults(theApp());
    }, 20 * MINUTES);

    it('makes a scene once, whose every event comes twice and whose workers die in the middle', async () => {
      const { repeated, crashes } = scenes();
      expect(crashes.happened.toSorted()).toEqual(crashes.meant.toSorted());
      expect(await deviations(theApp(), repeated, 100)).toEqual([]);
    });

    it('completes a scene by the reaper, whose messages get lost and whose mosaic meets a 409', async () => {
      expect(await deviations(theApp(), scenes().lost, 4)).toEqual([]);
    });

    it('plans a scene again that other code has planned', async () => {
      expect(await deviations(theApp(), scenes().replanned, 4)).toEqual([]);
    });

    it('leaves nothing in a dead-letter queue', async () => {
      expect(await deadLetters(theApp())).toEqual([]);
    });
  });

  it(
    'dead-letters what cannot be done, with its context, after three receives; replayed once it is mended, it is done',
    async () => {
      const app = theApp();
      const { id } = await uploadScene(app, 'poisoned', 64);
      // Somebody else's object where a tile belongs: never overwritten, never taken for the tile.
      const place = { Bucket: app.deployed.outputBucket, Key: tileKey(id, { row: 0, column: 1 }) };
      const foreign = await app.s3.send(new PutObjectCommand({ ...place, Body: 'not a tile', IfNoneMatch: '*' }));
      await until('the window is dead-lettered', async () => (await app.depth(app.deployed.deadLetters.tiles)) > 0);
      const letter = await takeDeadLetter(app);
      const { plan, row, column } = parseWindowMessage(letter.body);
      expect([plan.sceneJobId, row, column]).toEqual([id, 0, 1]);
      // Three receives by the worker, one by this test.
      expect([letter.receives, letter.from]).toEqual([4, expect.stringContaining('Tiles')]);
      expect(await readFile(app.stack.log, 'utf8')).toContain(`${place.Key} already exists with other content`);
      expect((await app.object(place.Key)).toString()).toBe('not a tile');

      await app.s3.send(new DeleteObjectCommand({ ...place, VersionId: foreign.VersionId }));
      await replay(app, letter);
      await until('the replayed window is done', () => isFinished(app, id));
      expect(await deviations(app, id, 4)).toEqual([]);
      expect(await deadLetters(app)).toEqual([]);
    },
    10 * MINUTES,
  );

  it('writes nothing under tiles/ or scenes/ without a precondition', () => {
    const made = theApp().proxy.calls.filter(({ caller }) => caller !== null);
    expect(made.length).toBeGreaterThan(1_000);
    expect(made.filter(isUnconditionalWrite).map(({ caller, path }) => `${caller} ${path}`)).toEqual([]);
  });

  it('makes no call that is not granted, and is granted nothing that it never needs', () => {
    const { proxy, deployed } = theApp();
    const used = usedPermissions(proxy.calls, deployed);
    expect(used.notGranted).toEqual([]);
    expect(unusedGrants(used.all)).toEqual([]);
    expect(idleReasons()).toEqual([]);
  });

  it(
    'fails the same check where a writer leaves its precondition out: the check is no formality',
    async () => {
      const app = theApp();
      const { id } = await uploadScene(app, 'control', 64);
      const point: CrashPoint = {
        name: 'tile written, no row',
        caller: 'tile',
        isReached: (call) => isObjectWrite(call, `/tiles/${id}/`),
      };
      using _crash = app.proxy.intercept(crashAt([point], (caller) => app.kill(caller)).interceptor);
      using _bare = app.proxy.intercept(withoutPrecondition((call) => isObjectWrite(call, `/tiles/${id}/`)));
      await until('scene control is assembled', () => isFinished(app, id));
      const found = await deviations(app, id, 4);
      // All workers died, so one or more tiles were written and had no row.
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((deviation) => !/^tiles\/.* has 2 versions$/u.test(deviation))).toEqual([]);
    },
    10 * MINUTES,
  );
});
