import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CommandEnd, commandLine, tileonce, watch } from './command.ts';
import { faultsOf } from './faults.ts';
import { outputBytes, outputFiles } from './outputs.ts';
import { demoScene, pipelineFile } from './scenes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const scene = join(folder.path, 'scene');
const pipeline = pipelineFile(folder.path);
const argsFor = (out: string): string[] => ['run', scene, '--pipeline', pipeline, '--workers', '1', '--out', out];
const at = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  await demoScene(scene, { size: 320 });
}, 30_000);

const fault = (end: CommandEnd): string => {
  const [only, ...others] = faultsOf(end);
  expect(others).toEqual([]);
  expect(end.code).toBe(1);
  return only ?? '';
};

describe('an output folder that cannot be used', () => {
  it('because its parent is missing is named, with its parent', async () => {
    const said = fault(await tileonce(argsFor(at('no/such'))));
    expect(said).toBe(
      `tileonce: the output folder ${at('no/such')} cannot be made: ${at('no')} does not exist: make that folder first, or correct the path`,
    );
  }, 30_000);

  it('because it is a file, or lies below one, is named', async () => {
    writeFileSync(at('file'), '');
    expect(fault(await tileonce(argsFor(at('file'))))).toMatch(/file is a file: name a folder for the outputs$/);
    expect(fault(await tileonce(argsFor(at('file/out'))))).toMatch(/file stands where a folder is needed: move it/);
  }, 30_000);

  it('because a foreign ledger lies in it is named', async () => {
    mkdirSync(at('foreign/.tileonce'), { recursive: true });
    writeFileSync(at('foreign/.tileonce/ledger.sqlite'), 'no SQLite'.repeat(100));
    expect(fault(await tileonce(argsFor(at('foreign'))))).toMatch(/ledger\.sqlite failed: it is not a ledger: move it/);
  }, 30_000);
});

/** Starts the command under another program, which must come with its own arguments. */
const under = (program: string, args: readonly string[], out: string): Promise<CommandEnd> =>
  watch(spawn(program, [...args, ...commandLine(argsFor(out))], { stdio: ['ignore', 'pipe', 'pipe'] })).ended;

/** Runs shell lines in which `$OUT` may become a file system of its own, and `"$@"` is the command with its output there. */
const onOwnDisk = (out: string, lines: readonly string[]): Promise<CommandEnd> => {
  mkdirSync(out);
  const args = [
    '--mount',
    '--map-root-user',
    'sh',
    '-e',
    '-c',
    lines.join('\n'),
    'sh',
    ...commandLine(argsFor(join(out, 'out'))),
  ];
  return watch(spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, OUT: out } })).ended;
};

describeWith(['private mounts'], 'a disk', () => {
  it('that this user may not write to is named', async () => {
    mkdirSync(at('locked'));
    chmodSync(at('locked'), 0o500);
    // Root may write anywhere; without its capabilities it is a user like any other.
    const [program, ...args] = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : ['env'];
    expect(fault(await under(program ?? '', args, at('locked/out')))).toMatch(
      /^tileonce: cannot write to .*locked\/out: permission denied: make it writable/,
    );
  }, 30_000);

  it('that is mounted read-only is named', async () => {
    const end = await onOwnDisk(at('read-only'), ['mount -t tmpfs -o ro tmpfs "$OUT"', 'exec "$@"']);
    expect(fault(end)).toMatch(/^tileonce: cannot write to .*: the file system is read-only: mount it for writing/);
  }, 30_000);

  // Full while windows are sent, among the tiles, and at the mosaic.
  it.each([600, 2400, 3400])(
    'that is full after %i KB is named; with room again, the same run ends as on a disk with room',
    async (kilobytes) => {
      const out = at(`full after ${kilobytes}`);
      const [whole, kept] = [at(`room ${kilobytes}`), at(`kept ${kilobytes}`)];
      const end = await onOwnDisk(out, [
        `mount -t tmpfs -o size=${kilobytes}k tmpfs "$OUT"`,
        '"$@" && exit 0',
        `mkdir "${whole}" "${kept}"`,
        `cp -a "$OUT/out/." "${kept}"`,
        'mount -o remount,size=64m "$OUT"',
        '"$@" > /dev/null 2> "$OUT/second"',
        `cp -a "$OUT/out/." "${whole}"`,
        'exit 1',
      ]);
      expect(fault(end)).toMatch(/^tileonce: .*: the disk is full: free some space and run again/);

      await tileonce(argsFor(at('undisturbed')));
      const expected = outputBytes(at('undisturbed'));
      expect(outputBytes(whole)).toEqual(expected);
      // What stands there after the failure is whole.
      expect(expected).toMatchObject(outputBytes(kept));
      expect(outputFiles(kept).filter((path) => path.startsWith('scenes'))).toEqual([]);
    },
    60_000,
  );
});
