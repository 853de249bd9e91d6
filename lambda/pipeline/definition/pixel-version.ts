/**
 * Raised by one with any change to the code that changes a pixel of an output. It is hashed into every identity, so that
 * new code never finishes what old code began (docs/design.md, section 2).
 */
export const PIXEL_VERSION = 1;
