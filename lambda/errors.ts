/**
 * The root of every error this project throws on purpose: one line that says what happened, to what, and what to
 * do about it. The command line prints `oneLine` and exits 1; anything else that reaches the top is a defect.
 */
export class TileonceError extends Error {
  /** What the reader should do next; a sentence without a full stop. */
  readonly remedy: string | undefined;

  constructor(message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.remedy = options.remedy;
  }

  /** Message and remedy on a single line. */
  get oneLine(): string {
    const text = this.remedy === undefined ? this.message : `${this.message}: ${this.remedy}`;
    return text.replaceAll(/\s*\n\s*/g, ' ');
  }
}

/** A source raster that cannot be read, or must not be guessed at: names the file, the band where there is one, and the trait. */
export class SourceError extends TileonceError {
  readonly file: string;
  readonly band: number | undefined;

  constructor(file: string, trait: string, options: { band?: number; remedy?: string; cause?: unknown } = {}) {
    super(options.band === undefined ? `${file}: ${trait}` : `${file} (band ${options.band}): ${trait}`, options);
    this.file = file;
    this.band = options.band;
  }
}

/** A store (objects, claims, manifest, queue) that did not do what it was asked: full, read-only or out of reach. Fail closed. */
export class StoreUnavailableError extends TileonceError {}

/** Something had to be written by one who said that it would only look. */
export class OnlyReadError extends StoreUnavailableError {}

/** The source is not, or no longer, the object that was planned: its pixels must not be mixed with the planned one's. */
export class SourceChangedError extends SourceError {}
