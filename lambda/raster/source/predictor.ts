/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */

/**
 * Undoes the horizontal predictor (TIFF 6.0, section 14) in place: every sample was stored as its difference from the
 * one `stride` samples before it in its row. Samples are in the machine's byte order already.
 *
 * @param rows rows of the block
 * @param rowSamples samples a row: columns x stride
 */
export function undoHorizontal(
  bytes: Uint8Array<ArrayBuffer>,
  bits: number,
  rows: number,
  rowSamples: number,
  stride: number,
): void {
  switch (bits) {
    case 8:
      return accumulate8(bytes, rows, rowSamples, stride);
    case 16:
      return accumulate16(new Uint16Array(bytes.buffer, bytes.byteOffset, rows * rowSamples), rows, rowSamples, stride);
    case 32:
      return accumulate32(new Int32Array(bytes.buffer, bytes.byteOffset, rows * rowSamples), rows, rowSamples, stride);
    default: {
      const samples = new BigUint64Array(bytes.buffer, bytes.byteOffset, rows * rowSamples);
      for (let row = 0; row < rows; row++) {
        for (let at = row * rowSamples + stride; at < (row + 1) * rowSamples; at++) {
          samples[at] = (samples[at] as bigint) + (samples[at - stride] as bigint);
        }
      }
    }
  }
}

// One function a type, so that each stays monomorphic; the running sum spares one band the way through memory.
function accumulate8(samples: Uint8Array, rows: number, rowSamples: number, stride: number): void {
  for (let row = 0; row < rows; row++) {
    const start = row * rowSamples;
    const end = start + rowSamples;
    if (stride === 1) {
      for (let at = start, sum = 0; at < end; at++) samples[at] = sum = (sum + (samples[at] as number)) & 0xff;
    } else {
      for (let at = start + stride; at < end; at++) {
        samples[at] = (samples[at] as number) + (samples[at - stride] as number);
      }
    }
  }
}

function accumulate16(samples: Uint16Array, rows: number, rowSamples: number, stride: number): void {
  for (let row = 0; row < rows; row++) {
    const start = row * rowSamples;
    const end = start + rowSamples;
    if (stride === 1) {
      for (let at = start, sum = 0; at < end; at++) samples[at] = sum = (sum + (samples[at] as number)) & 0xffff;
    } else {
      for (let at = start + stride; at < end; at++) {
        samples[at] = (samples[at] as number) + (samples[at - stride] as number);
      }
    }
  }
}

function accumulate32(samples: Int32Array, rows: number, rowSamples: number, stride: number): void {
  for (let row = 0; row < rows; row++) {
    const start = row * rowSamples;
    const end = start + rowSamples;
    if (stride === 1) {
      for (let at = start, sum = 0; at < end; at++) samples[at] = sum = (sum + (samples[at] as number)) | 0;
    } else {
      for (let at = start + stride; at < end; at++) {
        samples[at] = ((samples[at] as number) + (samples[at - stride] as number)) | 0;
      }
    }
  }
}

/**
 * Undoes the floating point predictor (Adobe's TIFF Technical Note 3) in place: a row's bytes were sorted into planes,
 * most significant first whatever the file's byte order, and each stored as its difference from the one `stride` bytes
 * before it. Leaves little-endian samples.
 *
 * @param rowSamples samples a row: columns x stride
 * @param size bytes a sample: 2, 4 or 8
 */
export function undoFloating(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
  rows: number,
  rowSamples: number,
  stride: number,
): void {
  const rowBytes = rowSamples * size;
  const planes = new Uint8Array(rowBytes);
  for (let row = 0; row < rows; row++) {
    const line = bytes.subarray(row * rowBytes, (row + 1) * rowBytes);
    planes.set(line);
    if (size === 4 && stride === 1) {
      undoFloat32Row(planes, new Int32Array(bytes.buffer, bytes.byteOffset + row * rowBytes, rowSamples));
      continue;
    }
    for (let at = stride; at < rowBytes; at++) planes[at] = (planes[at] as number) + (planes[at - stride] as number);
    joinPlanes(planes, line, size, rowSamples);
  }
}

/** The four planes' sums side by side in one integer: a lane each, which begins with the total of the planes before it. */
function undoFloat32Row(planes: Uint8Array, out: Int32Array): void {
  const n = out.length;
  let total = 0;
  let lanes = 0;
  for (let plane = 1; plane < 4; plane++) {
    for (let at = (plane - 1) * n; at < plane * n; at++) total += planes[at] as number;
    lanes |= (total & 0xff) << (24 - 8 * plane);
  }
  for (let at = 0; at < n; at++) {
    const high = ((planes[at] as number) << 24) | ((planes[at + n] as number) << 16);
    const step = high | ((planes[at + 2 * n] as number) << 8) | (planes[at + 3 * n] as number);
    // Added byte by byte: the top bits apart, so that no carry passes from one lane to the next.
    lanes = ((lanes & 0x7f7f7f7f) + (step & 0x7f7f7f7f)) ^ ((lanes ^ step) & 0x80808080);
    out[at] = lanes;
  }
}

function joinPlanes(planes: Uint8Array, out: Uint8Array, size: number, rowSamples: number): void {
  for (let plane = 0; plane < size; plane++) {
    for (let at = 0; at < rowSamples; at++) {
      out[at * size + size - 1 - plane] = planes[plane * rowSamples + at] as number;
    }
  }
}
