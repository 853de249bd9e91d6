/** Encoders that are plain rather than fast: what the decoders under test must undo. */

/** TIFF's LZW, most significant bit first, code width raised one code early; clears its table when it is full. */
export function encodeLzw(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const bits: string[] = [];
  let table = new Map<string, number>();
  let next = 258;
  let width = 9;
  const emit = (code: number): void => void bits.push(code.toString(2).padStart(width, '0'));
  const codeOf = (text: string): number => (text.length === 1 ? text.charCodeAt(0) : (table.get(text) ?? 0));
  emit(256);
  let text = '';
  for (const byte of bytes) {
    const longer = text + String.fromCharCode(byte);
    if (longer.length === 1 || table.has(longer)) {
      text = longer;
      continue;
    }
    emit(codeOf(text));
    table.set(longer, next++);
    if (next === 512 || next === 1024 || next === 2048) width++;
    if (next === 4095) {
      emit(256);
      table = new Map();
      next = 258;
      width = 9;
    }
    text = String.fromCharCode(byte);
  }
  if (text !== '') emit(codeOf(text));
  next++;
  if (next === 512 || next === 1024 || next === 2048) width++;
  emit(257);
  const joined = bits.join('');
  const padded = joined.padEnd(Math.ceil(joined.length / 8) * 8, '0');
  return Uint8Array.from({ length: padded.length / 8 }, (_, at) =>
    Number.parseInt(padded.slice(at * 8, at * 8 + 8), 2),
  );
}

/** Stores every sample as its difference from the one `stride` before it in its row; `rowSamples` samples of `bits` each. */
export function encodeHorizontal(
  values: readonly bigint[],
  bits: number,
  rowSamples: number,
  stride: number,
  bigEndian: boolean,
): Uint8Array<ArrayBuffer> {
  const size = bits / 8;
  const out = new Uint8Array(values.length * size);
  for (const [at, value] of values.entries()) {
    const before = at % rowSamples < stride ? 0n : (values[at - stride] ?? 0n);
    const difference = BigInt.asUintN(bits, value - before);
    for (let byte = 0; byte < size; byte++) {
      const place = bigEndian ? size - 1 - byte : byte;
      out[at * size + place] = Number((difference >> BigInt(8 * byte)) & 255n);
    }
  }
  return out;
}

/** Sorts each row's bytes into planes, most significant first, and stores differences of `stride` bytes. */
export function encodeFloating(
  samples: Float32Array | Float64Array,
  rowSamples: number,
  stride: number,
): Uint8Array<ArrayBuffer> {
  const size = samples.BYTES_PER_ELEMENT;
  const little = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const out = new Uint8Array(little.length);
  const rowBytes = rowSamples * size;
  for (let row = 0; row * rowBytes < little.length; row++) {
    const planes = Array.from({ length: rowBytes }, (_, at) => {
      const plane = Math.floor(at / rowSamples);
      return little[row * rowBytes + (at % rowSamples) * size + (size - 1 - plane)] ?? 0;
    });
    for (const [at, byte] of planes.entries()) {
      out[row * rowBytes + at] = at < stride ? byte : byte - (planes[at - stride] ?? 0);
    }
  }
  return out;
}
