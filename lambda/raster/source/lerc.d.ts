/** The part of lerc 3 that is used; the package brings no types. */
declare module 'lerc' {
  export interface LercImage {
    readonly width: number;
    readonly height: number;
    /** One array a band, width x height x dimensions. */
    readonly pixels: readonly (
      | Uint8Array<ArrayBuffer>
      | Int8Array<ArrayBuffer>
      | Uint16Array<ArrayBuffer>
      | Int16Array<ArrayBuffer>
      | Uint32Array<ArrayBuffer>
      | Int32Array<ArrayBuffer>
      | Float32Array<ArrayBuffer>
      | Float64Array<ArrayBuffer>
    )[];
    /** 1 where a pixel is valid; absent or null where all are. */
    readonly mask: Uint8Array | null | undefined;
  }
  const Lerc: {
    decode(data: ArrayBuffer, options: { returnPixelInterleavedDims: boolean }): LercImage;
  };
  export default Lerc;
}
