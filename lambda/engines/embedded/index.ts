import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreUnavailableError } from '../../errors.ts';
import type { ClaimStore } from '../../gates/claim-store.ts';
import type { ManifestStore } from '../../gates/manifest-store.ts';
import type { ObjectStore } from '../../gates/object-store.ts';
import { EmbeddedClaimStore } from './claim-store.ts';
import { type Ledger, openLedger } from './database.ts';
import { DeadLetters } from './dead-letters.ts';
import { type FileOperations, systemFiles } from './durable-files.ts';
import { asStoreError, errnoOf } from './errno.ts';
import { FileHashes } from './file-hashes.ts';
import { EmbeddedManifestStore } from './manifest-store.ts';
import { OWN_FOLDER } from './object-key.ts';
import { EmbeddedObjectStore } from './object-store.ts';
import { type ProcessIdentity, ownIdentity } from './process-identity.ts';
import { Processes } from './processes.ts';
import { EmbeddedQueue } from './queue.ts';
import { openLedgerToRead } from './read-ledger.ts';
import { type ScratchFile, openScratch } from './scratch-file.ts';
import { SourceTokens } from './source-tokens.ts';
import { TemporaryFiles } from './temporary-files.ts';

export interface EmbeddedEngineOptions {
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Receives after which a message goes to the dead letters. */
  readonly maxReceives: number;
  /** This process, where not the real one is meant. */
  readonly identity?: ProcessIdentity;
  /** File operations for writing, where not the system's are meant. */
  readonly files?: FileOperations;
  /**
   * Only looks: nothing is made or written in the folder, and what would have to write fails. (A ledger of an earlier
   * version is brought up to date first, and then looked at.)
   */
  readonly readOnly?: boolean;
}

/** The engine of one machine: every store of the pipeline on one output folder. */
export interface EmbeddedEngine extends Disposable {
  readonly claims: ClaimStore;
  readonly objects: ObjectStore;
  readonly manifest: ManifestStore;
  readonly queue: EmbeddedQueue;
  readonly deadLetters: DeadLetters;
  readonly processes: Processes;
  readonly tokens: SourceTokens;
  openScratch(): Promise<ScratchFile>;
  /** Closes the ledger. What the process holds stays its own: worker threads open and close engines of their own. */
  close(): void;
}

/**
 * Opens the engine on an output folder, which is made where it is missing (its parent must exist). Cheap (a few ms):
 * each worker thread opens its own.
 *
 * @throws StoreUnavailableError where the folder cannot be made or written, is a file, or holds a later version's ledger.
 */
export const openEmbeddedEngine = (outFolder: string, options: EmbeddedEngineOptions): EmbeddedEngine => {
  const folder = resolve(outFolder);
  const tmp = join(folder, OWN_FOLDER, 'tmp');
  const readOnly = options.readOnly ?? false;
  if (!readOnly) makeFolders(folder, tmp);
  const path = join(folder, OWN_FOLDER, 'ledger.sqlite');
  const ledger = readOnly ? ledgerToRead(path) : openLedger(path);
  try {
    const { now, maxReceives } = options;
    const files = options.files ?? systemFiles;
    const processes = new Processes({ ledger, temporaries: tmp, identity: options.identity ?? ownIdentity(), now });
    if (!readOnly) processes.register();
    const temporaries = new TemporaryFiles(tmp, processes.id, files);
    const hashes = new FileHashes(ledger, now, readOnly);
    const close = (): void => ledger.close();
    return {
      claims: new EmbeddedClaimStore(ledger),
      objects: new EmbeddedObjectStore({ folder, ledger, hashes, temporaries, files }),
      manifest: new EmbeddedManifestStore(ledger),
      queue: new EmbeddedQueue(ledger, { now, maxReceives, processId: processes.id }),
      deadLetters: new DeadLetters(ledger, now),
      processes,
      tokens: new SourceTokens(hashes),
      openScratch: () => openScratch(temporaries),
      close,
      [Symbol.dispose]: close,
    };
  } catch (error) {
    ledger.close();
    throw error;
  }
};

const ledgerToRead = (path: string): Ledger => {
  const ledger = openLedgerToRead(path);
  if (ledger !== null) return ledger;
  openLedger(path).close();
  return openLedgerToRead(path) ?? openLedger(path);
};

const makeFolders = (folder: string, tmp: string): void => {
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true) {
      throw new StoreUnavailableError(`${folder} is a file`, { remedy: 'name a folder for the outputs' });
    }
    if (!makeFolder(folder)) {
      throw new StoreUnavailableError(`the output folder ${folder} cannot be made: ${dirname(folder)} does not exist`, {
        remedy: 'make that folder first, or correct the path',
      });
    }
    // One by one: on a read-only file system a recursive mkdir answers ENOENT.
    for (const made of [dirname(tmp), tmp]) if (!makeFolder(made)) throw unusable(folder, 'ENOENT');
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    const known = asStoreError(error, folder);
    throw known instanceof StoreUnavailableError ? known : unusable(folder, errnoOf(error) ?? String(error));
  }
};

/** Makes a folder that may be there already; false where its parent is not. */
const makeFolder = (path: string): boolean => {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    if (errnoOf(error) === 'EEXIST') return true;
    throw error;
  }
};

const unusable = (folder: string, code: string): StoreUnavailableError =>
  new StoreUnavailableError(`no output folder can be made at ${folder} (${code})`, { remedy: 'name another folder' });
