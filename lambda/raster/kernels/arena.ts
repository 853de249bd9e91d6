import { KERNELS } from './kernels.wasm.ts';

/** Takes a position, a length or a number; all are numbers to WebAssembly. */
type Kernel = (...args: readonly number[]) => void;

/** The loops of assembly/, which say what their arguments mean. */
export interface Kernels {
  readonly memory: WebAssembly.Memory;
  readonly convertUint8: Kernel;
  readonly convertUint16: Kernel;
  readonly convertInt16: Kernel;
  readonly convertFourUint16: Kernel;
  readonly undoDifferences8: Kernel;
  readonly undoDifferences16: Kernel;
  readonly undoDifferences32: Kernel;
  readonly joinFloats32: Kernel;
  readonly splitFloats32: Kernel;
  readonly bilinearCell: Kernel;
  readonly bilinearRun: Kernel;
  readonly storeFloats: Kernel;
  readonly widenFloats: Kernel;
  readonly add64: Kernel;
  readonly subtract64: Kernel;
  readonly multiply64: Kernel;
  readonly divide64: Kernel;
  readonly normalizedDifference64: Kernel;
  readonly halveFloats32: Kernel;
  readonly averageFloats32: Kernel;
  readonly hasOddNan32: (...args: readonly number[]) => number;
  readonly deflateBlock: (...args: readonly number[]) => number;
  readonly zstdFloatRows: (...args: readonly number[]) => number;
  readonly adler32: (...args: readonly number[]) => number;
}

const compiled = new WebAssembly.Module(Buffer.from(KERNELS, 'base64'));
/** The loops over a memory of their own. Compiled by this project from its own sources: what it exports is known. */
export const newKernels = (): Kernels => new WebAssembly.Instance(compiled).exports as Kernels;
export const kernels = newKernels();

/** The module's memory as arrays of each type. */
export interface Arena {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly floats: Float32Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
}

/** Where callers' data begins: the module keeps nothing, but 0 is no position to hand out. */
export const ARENA_START = 1024;

const PAGE = 65_536;
let views = viewsOf(kernels);

export function viewsOf({ memory: { buffer } }: Kernels): Arena {
  return { bytes: new Uint8Array(buffer), floats: new Float32Array(buffer), doubles: new Float64Array(buffer) };
}

/**
 * The kernels' memory, with room for `length` bytes from ARENA_START on. It is the caller's until it returns to the event
 * loop or calls another kernel's function; arrays over it are void once more room was asked for.
 */
export const arenaOf = (length: number): Arena => {
  const missing = ARENA_START + length - views.bytes.length;
  if (missing > 0) {
    kernels.memory.grow(Math.ceil(missing / PAGE));
    views = viewsOf(kernels);
  }
  return views;
};

/** The next position on a boundary of 16 bytes. */
export const aligned = (position: number): number => (position + 15) & ~15;
