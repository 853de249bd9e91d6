/** Makes baseline JPEG streams of any sampling: what writers of TIFFs seldom choose, and decoders must still know. */

export interface JpegStreamOptions {
  /** Columns and rows, px. */
  readonly width: number;
  readonly height: number;
  /** Sampling factors of each component, across and down. */
  readonly factors: readonly (readonly [across: number, down: number])[];
  /** Units between restart markers; 0: none. */
  readonly restartInterval?: number;
  /** One scan a component, in place of one of all. */
  readonly separateScans?: boolean;
  /** A number from 0 to below 1, each time another. */
  readonly random: () => number;
}

const RUNS = Array.from({ length: 16 }, (_, run) => run);
/** Every symbol that a baseline stream can use, all with codes of 8 bits: a poor code, but a right one. */
const DC_SYMBOLS = Array.from({ length: 12 }, (_, size) => size);
const AC_SYMBOLS = [
  0x00,
  0xf0,
  ...RUNS.flatMap((run) => Array.from({ length: 10 }, (_, size) => (run << 4) | (size + 1))),
];

/** A stream of random, mostly smooth blocks. */
export function jpegStream(options: JpegStreamOptions): Uint8Array<ArrayBuffer> {
  const { width, height, factors, restartInterval = 0 } = options;
  const ids = factors.map((_, index) => index + 1);
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, ids.length];
  for (const [index, [across, down]] of factors.entries()) frame.push(index + 1, (across << 4) | down, 0);
  const scans = options.separateScans === true ? ids.map((id) => [id]) : [ids];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, (_, i) => 3 + i)]),
    ...segment(0xc0, frame),
    ...segment(0xc4, [0x00, ...lengths(DC_SYMBOLS), ...DC_SYMBOLS, 0x10, ...lengths(AC_SYMBOLS), ...AC_SYMBOLS]),
    ...segment(0xdd, [restartInterval >> 8, restartInterval & 255]),
    ...scans.flatMap((scan) => [
      ...segment(0xda, [scan.length, ...scan.flatMap((id) => [id, 0]), 0, 63, 0]),
      ...scanData(options, scan),
    ]),
    0xff,
    0xd9,
  ]);
}

const segment = (marker: number, body: readonly number[]): number[] => {
  const length = body.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...body];
};

const lengths = (symbols: readonly number[]): number[] => [0, 0, 0, 0, 0, 0, 0, symbols.length, 0, 0, 0, 0, 0, 0, 0, 0];

function scanData({ width, height, factors, restartInterval = 0, random }: JpegStreamOptions, scan: readonly number[]) {
  const largest = [Math.max(...factors.map(([across]) => across)), Math.max(...factors.map(([, down]) => down))];
  const [most = 1, mostDown = 1] = largest;
  const own = factors[(scan[0] ?? 1) - 1] ?? [1, 1];
  // A scan of one component goes by its blocks, one of several by units of the largest factors.
  const alone = scan.length === 1;
  const [unitAcross, unitDown] = alone ? [own[0] / most, own[1] / mostDown] : [1 / most, 1 / mostDown];
  const units = Math.ceil((width * unitAcross) / 8) * Math.ceil((height * unitDown) / 8);
  const bits = new BitWriter();
  const levels = new Map<number, number>();
  for (let unit = 0; unit < units; unit++) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      bits.marker(0xd0 + ((unit / restartInterval - 1) % 8));
      levels.clear();
    }
    for (const id of scan) {
      const [across, down] = alone ? [1, 1] : (factors[id - 1] ?? [1, 1]);
      for (let block = 0; block < across * down; block++) {
        const level = Math.round((random() - 0.5) * 200);
        writeBlock(bits, level - (levels.get(id) ?? 0), random);
        levels.set(id, level);
      }
    }
  }
  return bits.finish();
}

function writeBlock(bits: BitWriter, step: number, random: () => number): void {
  bits.number(DC_SYMBOLS.indexOf(sizeOf(step)), step);
  let at = 1;
  while (random() < 0.7) {
    const run = Math.floor(random() * 3) + (random() < 0.05 ? 14 : 0);
    if (at + run > 63) break;
    at += run + 1;
    const value = Math.round((random() - 0.5) * 24) || 1;
    for (let zeroes = run; zeroes > 15; zeroes -= 16) bits.number(AC_SYMBOLS.indexOf(0xf0), 0);
    bits.number(AC_SYMBOLS.indexOf(((run % 16) << 4) | sizeOf(value)), value);
  }
  if (at < 64) bits.number(AC_SYMBOLS.indexOf(0), 0);
}

const sizeOf = (value: number): number => (value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1);

class BitWriter {
  readonly #bytes: number[] = [];
  #bits = '';

  /** A code of 8 bits, then the bits of a signed number. */
  number(code: number, value: number): void {
    const size = sizeOf(value);
    this.#bits += code.toString(2).padStart(8, '0');
    if (size > 0) this.#bits += (value > 0 ? value : value + 2 ** size - 1).toString(2).padStart(size, '0');
    while (this.#bits.length >= 8) {
      const byte = Number.parseInt(this.#bits.slice(0, 8), 2);
      this.#bytes.push(byte, ...(byte === 0xff ? [0] : []));
      this.#bits = this.#bits.slice(8);
    }
  }

  marker(marker: number): void {
    this.finish();
    this.#bytes.push(0xff, marker);
  }

  /** Fills the last byte with ones. */
  finish(): readonly number[] {
    if (this.#bits !== '') {
      const byte = Number.parseInt(this.#bits.padEnd(8, '1'), 2);
      this.#bytes.push(byte, ...(byte === 0xff ? [0] : []));
      this.#bits = '';
    }
    return this.#bytes;
  }
}
