/** Thrown by the decoders, which know neither file nor block; whoever called them makes a SourceError of it. */
export class CorruptBlockError extends Error {
  /** False: the block is sound, but of a kind that is not read. */
  readonly damaged: boolean;

  constructor(message: string, options: { cause?: unknown; damaged?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.damaged = options.damaged ?? true;
  }
}
