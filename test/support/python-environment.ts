import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The interpreter of a virtual environment with one package, kept under the system's temporary folder for the next time.
 * It is made aside and renamed, so that a half-made one is never used.
 *
 * @param requirement as pip takes it, with its version: `name[extra]==1.2.3`
 * @throws Error where it cannot be installed, pip's own words in it.
 */
export async function pythonEnvironment(requirement: string): Promise<string> {
  const folder = join(tmpdir(), `tileonce-${requirement.replaceAll(/[^\w.]+/g, '-')}`);
  const interpreter = join(folder, 'bin', 'python');
  if (existsSync(interpreter)) return interpreter;
  const staged = await mkdtemp(`${folder}-`);
  try {
    await run('python3', ['-m', 'venv', staged]);
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement];
    await run(join(staged, 'bin', 'python'), install);
    await rename(staged, folder);
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    // Another run may have been quicker.
    if (!existsSync(interpreter)) throw error;
  }
  return interpreter;
}
