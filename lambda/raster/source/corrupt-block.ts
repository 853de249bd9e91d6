/** Thrown by the decoders, which know neither file nor block; whoever called them makes a SourceError of it. */
export class CorruptBlockError extends Error {}
