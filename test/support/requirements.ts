import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';

/**
 * What some tests need and not every machine has. Where it is missing they are skipped, and jest's summary shows how
 * many; with TILEONCE_NO_SKIP set, as CI does, a missing requirement fails instead.
 */
const strict = process.env['TILEONCE_NO_SKIP'] !== undefined;

/** Real scenes and unusual rasters, beside the checkout. */
export const SHARED_DATA = join(process.cwd(), '..', 'shared', 'data');

const answers = (command: string, args: readonly string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Debian's Python, which has GDAL's bindings where python3-gdal is installed. */
export const GDAL_PYTHON = '/usr/bin/python3';

const present = {
  'shared data': () => existsSync(join(SHARED_DATA, 'scenes', 'INDEX.tsv')),
  GDAL: () => answers(GDAL_PYTHON, ['-c', 'from osgeo import gdal']) && answers('gdalwarp', ['--version']),
  /** A file system that only the started process sees; gone with it. */
  'private mounts': () => answers('unshare', ['--mount', '--map-root-user', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]),
  Python: () => answers('python3', ['-m', 'venv', '--help']),
} as const;

export type Requirement = keyof typeof present;

// Titles and bodies are data here.
// oxlint-disable jest/valid-describe-callback, jest/valid-title, jest/no-disabled-tests

/** `describe`, skipped where a requirement is missing. */
export const describeWith = (requirements: readonly Requirement[], name: string, body: () => void): void => {
  const missing = requirements.filter((requirement) => !present[requirement]());
  if (missing.length === 0) {
    describe(name, body);
    return;
  }
  if (strict) throw new Error(`${name}: needs ${missing.join(' and ')}, and TILEONCE_NO_SKIP forbids to skip it`);
  describe.skip(`${name} (skipped: no ${missing.join(', no ')})`, body);
};
