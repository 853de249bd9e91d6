/**
 * Stands in for the JavaScript decoders of DEFLATE and ZSTD in a deployed bundle: blocks are decoded by node:zlib
 * (codecs.ts), so that whoever gets here has found a way around that.
 */
const refuse = (): never => {
  throw new Error('blocks are decoded by node:zlib, not by this codec');
};

export const inflate = refuse;
export class ZSTDDecoder {
  readonly init = refuse;
  readonly decode = refuse;
}
export default { inflate };
