import { TileonceError } from '../errors.ts';

/** A claim's row keeps no more of an error than this, characters. */
const MOST_CHARACTERS = 500;

/** An error on one line, as a claim's row keeps it. */
export const failureText = (error: unknown): string => {
  const text =
    error instanceof TileonceError
      ? error.oneLine
      : error instanceof Error
        ? `${error.name}: ${error.message}`.replaceAll(/\s*\n\s*/g, ' ')
        : String(error);
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
};
