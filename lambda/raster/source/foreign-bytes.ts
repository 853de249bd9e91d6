/** First bytes of formats that are often found under a .tif name. */
const SIGNATURES: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20], 'a JPEG 2000 image'],
  [[0xff, 0x4f, 0xff, 0x51], 'a JPEG 2000 codestream'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  [[0x89, 0x48, 0x44, 0x46], 'an HDF5 or netCDF-4 file'],
  [[0x43, 0x44, 0x46], 'a netCDF file'],
  [[0x47, 0x52, 0x49, 0x42], 'a GRIB file'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive'],
  [[0x1f, 0x8b], 'a gzip file'],
  [[0x3c], 'XML or HTML text (a VRT, or an error page saved in its place)'],
  [[0xef, 0xbb, 0xbf, 0x3c], 'XML or HTML text (a VRT, or an error page saved in its place)'],
];

/**
 * What a file is that is no TIFF, for a message.
 *
 * @param head the file's first bytes, 8 or more where there are as many, and at least one
 */
export function describeForeignBytes(head: Uint8Array): string {
  const known = SIGNATURES.find(([bytes]) => bytes.every((byte, index) => head[index] === byte));
  if (known !== undefined) return `it is ${known[1]}`;
  if (head.every((byte) => byte === 0)) return 'it begins with zero bytes';
  const shown = [...head.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `it begins with the bytes ${shown}`;
}
