import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
  remove(): void;
}

/** A new empty folder that is gone when it is disposed of. */
export const temporaryFolder = (): TemporaryFolder => {
  const path = mkdtempSync(join(tmpdir(), 'tileonce-test-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  return { path, remove, [Symbol.dispose]: remove };
};
