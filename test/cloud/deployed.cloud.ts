import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SceneJobId } from '../../lambda/identity/job-key.ts';
import { tileKey } from '../../lambda/identity/output-keys.ts';
import { parseWindowMessage } from '../../lambda/pipeline/messages.ts';
import { describeWith } from '../support/requirements.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { unlikeCommand } from './command-outputs.ts';
import { replay, takeDeadLetter } from './dead-letter.ts';
import { DeployedApp, PIPELINE } from './deployed-app.ts';
import { type Survived, surviveFaults } from './fault-scenario.ts';
import { deadLetters, deviations } from './once-in-effect.ts';
import { operate } from './operator.ts';
import { idleReasons, unusedGrants, usedPermissions } from './permission-use.ts';
import { isUnconditionalWrite } from './recorded-calls.ts';
import { type Weathered, weatherStorm } from './storm-scenario.ts';
import { isFinished, uploadScene } from './uploaded-scene.ts';
import { until } from './waiting.ts';

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

      expect(await unlikeCommand(app, id, local)).toEqual([]);
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

  describe('in a storm of random faults, its functions killed at random', () => {
    let weathered: Weathered | null = null;
    const storm = (): Weathered => weathered ?? assert.fail('the app did not weather the storm');

    beforeAll(async () => {
      weathered = await weatherStorm(theApp());
    }, 15 * MINUTES);

    it('has every kind of fault happen, before and after the effect, and every function killed', () => {
      expect(storm().missing).toEqual([]);
    });

    it(
      'comes to rest by itself, every scene as an undisturbed run leaves it',
      async () => {
        const { scenes } = storm();
        const commands = new Map<number, CommandRun>();
        for (const { id, name, red, size, windows } of scenes) {
          const command =
            commands.get(size) ?? (await runCommand(await theApp().folder(`embedded-${size}`), PIPELINE, red));
          commands.set(size, command);
          expect([name, ...(await deviations(theApp(), id, windows))]).toEqual([name]);
          expect([name, ...(await unlikeCommand(theApp(), id, command))]).toEqual([name]);
        }
        expect(await theApp().idle()).toBe(true);
        expect(await deadLetters(theApp())).toEqual([]);
      },
      5 * MINUTES,
    );

    it('fails the same check where tiles are written without their precondition: the check is no formality', async () => {
      const found = await deviations(theApp(), storm().ungated, 4);
      // All workers died, so one or more tiles were written and had no row.
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((deviation) => !/^tiles\/.* has \d versions$/u.test(deviation))).toEqual([]);
    });
  });

  describe('with two windows that cannot be done', () => {
    let poisoned: SceneJobId | null = null;
    const scene = (): SceneJobId => poisoned ?? assert.fail('no scene was poisoned');
    const foreign = new Map<string, string | undefined>();

    /** Somebody clears the places where the tiles belong. */
    const mend = async (): Promise<void> => {
      for (const [Key, VersionId] of foreign) {
        const { outputBucket: Bucket } = theApp().deployed;
        await theApp().s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
      }
    };

    beforeAll(async () => {
      const app = theApp();
      const { id } = await uploadScene(app, 'poisoned', 64);
      poisoned = id;
      for (const window of [
        { row: 0, column: 1 },
        { row: 1, column: 0 },
      ]) {
        // Somebody else's object where a tile belongs: never overwritten, never taken for the tile.
        const place = { Bucket: app.deployed.outputBucket, Key: tileKey(id, window) };
        const put = await app.s3.send(new PutObjectCommand({ ...place, Body: 'not a tile', IfNoneMatch: '*' }));
        foreign.set(place.Key, put.VersionId);
      }
      await until('two windows are dead-lettered', async () => (await app.depth(app.deployed.deadLetters.tiles)) === 2);
    }, 5 * MINUTES);

    it('dead-letters them, and status and redrive tell an operator so', async () => {
      expect(await operate(theApp(), 'status', scene())).toMatchObject({
        states: { STALLED: 1 },
        deadLetters: { scenes: 0, tiles: 2, assemblies: 0 },
        scenes: [{ scene: scene(), counts: { written: 2, dead: 2 }, map: ['written dead', 'dead written'] }],
      });
      expect(await operate(theApp(), 'redrive', '--dry-run')).toMatchObject({
        total: 2,
        groups: [
          {
            queue: 'tiles',
            count: 2,
            scenes: ['T31UDQ_20260621T105031'],
            error: expect.stringContaining('already exists with other content'),
          },
        ],
      });
    }, 60_000);

    it('keeps the whole context in the letter, whose replay by plain SQS does the mended window', async () => {
      const letter = await takeDeadLetter(theApp());
      const { plan, row, column } = parseWindowMessage(letter.body);
      expect(plan.sceneJobId).toBe(scene());
      expect(row + column).toBe(1);
      // Three receives by the worker, one by each verb, one by this test.
      expect([letter.receives, letter.from]).toEqual([6, expect.stringContaining('Tiles')]);
      const key = tileKey(scene(), { row, column });
      expect(await readFile(theApp().stack.log, 'utf8')).toContain(`${key} already exists with other content`);
      expect((await theApp().object(key)).bytes.toString()).toBe('not a tile');

      await mend();
      await replay(theApp(), letter);
      await until('the replayed window is done', async () => (await theApp().manifest.countRows(scene())) === 3);
    }, 60_000);

    it('does the other one after redrive --all, and the scene is whole', async () => {
      expect(await operate(theApp(), 'redrive', '--all')).toEqual({ replayed: 1, left: 0 });
      // A second event of its upload may still wait for the first one's lease to end.
      await until('the scene is whole', async () => (await deviations(theApp(), scene(), 4)).length === 0);
      expect(await deadLetters(theApp())).toEqual([]);
      expect(await operate(theApp(), 'status', scene())).toMatchObject({ states: { COMPLETE: 1 } });
    }, 120_000);

    it('verifies: a delivery that is repeated end to end changes nothing', async () => {
      expect(await operate(theApp(), 'verify', scene())).toMatchObject({ scenes: 1, findings: [], repairs: [] });
      expect(await deviations(theApp(), scene(), 4)).toEqual([]);
    }, 60_000);
  });

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
});
