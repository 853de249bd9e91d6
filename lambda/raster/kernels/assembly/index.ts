// Loops over pixels that 128-bit vectors make several times faster than JavaScript. AssemblyScript; `npm run kernels`
// compiles it into ../kernels.wasm.ts. Pointers are byte offsets into the module's memory, which the callers in .. fill.
export { convertFourUint16, convertInt16, convertUint16, convertUint8 } from './samples';
export { joinFloats32, splitFloats32, undoDifferences16, undoDifferences32, undoDifferences8 } from './predictors';
export { bilinearCell, bilinearRun } from './bilinear';
export { hasOddNan32, storeFloats } from './store';
export { deflateBlock } from './deflate';
export { adler32 } from './adler';
export { zstdFloatRows } from './zstd';
export { add64, divide64, multiply64, normalizedDifference64, subtract64, widenFloats } from './expression';
export { halveFloats32 } from './overview';
export { averageFloats32 } from './overview-weighted';
