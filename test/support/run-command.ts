import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const execute = promisify(execFile);

const Report = z.object({
  scene: z.string(),
  windows: z.number(),
  written: z.number(),
  alreadyPresent: z.number(),
  empty: z.number(),
  mosaic: z.string().nullable(),
  item: z.string(),
});

/** What one run of the command left behind; files by their paths. */
export interface CommandRun extends z.infer<typeof Report> {
  /** Empty where every window is. */
  readonly mosaic: string;
  /** In the order of their windows. */
  readonly tiles: readonly string[];
}

/**
 * Runs `tileonce run` on one scene in a process of its own, as a user does.
 *
 * @param folder is given `pipeline.json` and the outputs; new for each run
 * @param pipeline what the pipeline file says
 * @param scene a file of the scene
 */
export async function runCommand(folder: string, pipeline: unknown, scene: string): Promise<CommandRun> {
  const file = join(folder, 'pipeline.json');
  const out = join(folder, 'out');
  await writeFile(file, JSON.stringify(pipeline));
  const arguments_ = ['bin/tileonce.ts', 'run', scene, '--pipeline', file, '--out', out, '--workers', '1', '--json'];
  const { stdout } = await execute(process.execPath, arguments_);
  const report = Report.parse(JSON.parse(stdout));
  const tiles = join(out, 'tiles', report.scene);
  const names = report.written === 0 ? [] : await readdir(tiles);
  return { ...report, mosaic: report.mosaic ?? '', tiles: names.toSorted().map((name) => join(tiles, name)) };
}

/** A JSON file's content. */
export const readJson = async (file: string): Promise<unknown> => {
  const content: unknown = JSON.parse(await readFile(file, 'utf8'));
  return content;
};
