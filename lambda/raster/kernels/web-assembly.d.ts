/** What of WebAssembly is used here; TypeScript has it only among the types of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: unknown;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KB; arrays over the old buffer are void then. */
    grow(pages: number): number;
  }
}
