import { TileonceError } from '../../errors.ts';

/** An object key that names no file below the output folder: a defect of the caller, never obeyed. */
export class ObjectKeyError extends TileonceError {
  constructor(key: string) {
    super(`${JSON.stringify(key)} is no key for an output object`, {
      remedy: 'keys are relative paths of plain names, outside .tileonce',
    });
  }
}

/** The engine's own folder inside the output folder. */
export const OWN_FOLDER = '.tileonce';

/** The names that a key's path consists of. @throws ObjectKeyError for absolute keys, `..`, and the engine's own folder. */
export const segmentsOf = (key: string): string[] => {
  const segments = key.split('/');
  const plain = segments.every((name) => name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name));
  if (!plain || segments[0] === OWN_FOLDER) throw new ObjectKeyError(key);
  return segments;
};
