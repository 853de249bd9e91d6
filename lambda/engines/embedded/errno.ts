import { StoreUnavailableError } from '../../errors.ts';

/** A system error's code (`ENOENT`); undefined for anything else. */
export const errnoOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

const ACCESS = 'make it writable for this user, or choose another output folder';
const LINKS = 'choose an output folder on a local file system that has them, such as ext4, xfs or apfs';

/** What a system error means to the one who runs the command: what happened, and the remedy. */
const EXPLANATIONS: Readonly<Record<string, readonly [trait: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', 'free some space and run again: what was finished stays'],
  EDQUOT: ['the disk quota is used up', 'free some space and run again: what was finished stays'],
  EROFS: ['the file system is read-only', 'mount it for writing, or choose another output folder'],
  EACCES: ['permission denied', ACCESS],
  EPERM: ['operation not permitted', ACCESS],
  ENOTDIR: ['a file stands where a folder is needed', 'move it away, or choose another output folder'],
  EISDIR: ['a folder stands where a file is needed', 'move it away, or choose another output folder'],
  ENOENT: [
    'a folder of the output vanished',
    'leave the output folder in place while a run is under way, and run again',
  ],
  EXDEV: ['it spans two file systems', 'keep the whole output folder on one'],
  ENOTSUP: ['its file system has no hard links', LINKS],
  EOPNOTSUPP: ['its file system has no hard links', LINKS],
  ENOSYS: ['its file system has no hard links', LINKS],
  EMLINK: ['its file system has no hard links', LINKS],
  EMFILE: ['too many files are open', 'raise the limit (ulimit -n), and run again'],
  ENFILE: ['too many files are open', 'close some programs, and run again'],
  EIO: ['the disk reported an error', 'check the disk, then run again: what was finished stays'],
  ENAMETOOLONG: ['a path in it is too long', 'choose an output folder with a shorter path'],
};

/**
 * What a failing file operation on the output folder is thrown as: a StoreUnavailableError of one clear line where the
 * cause is the disk or its permissions, the error itself where it is anything else (a defect, or already ours).
 */
export const asStoreError = (error: unknown, folder: string): unknown => {
  const explanation = EXPLANATIONS[errnoOf(error) ?? ''];
  if (explanation === undefined || error instanceof StoreUnavailableError) return error;
  const [trait, remedy] = explanation;
  return new StoreUnavailableError(`cannot write to ${folder}: ${trait}`, { remedy, cause: error });
};

/** Runs a step that touches the output folder; a failing disk comes out as StoreUnavailableError. */
export const onDisk = async <T>(folder: string, step: () => Promise<T>): Promise<T> => {
  try {
    return await step();
  } catch (error) {
    throw asStoreError(error, folder);
  }
};
