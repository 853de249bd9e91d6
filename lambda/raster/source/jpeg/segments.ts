import { CorruptBlockError } from '../corrupt-block.ts';
import type { HuffmanTable } from './huffman.ts';
import { huffmanTable } from './huffman.ts';

/** The JPEG markers that are met here (ITU-T T.81, table B.1), without their 0xff. */
const MARKER = { baseline: 0xc0, extended: 0xc1, huffman: 0xc4, start: 0xd8, end: 0xd9, scan: 0xda } as const;
const QUANTISATION = 0xdb;
const RESTART_INTERVAL = 0xdd;
/** What the other frame markers (0xc2 to 0xcf) announce. */
const isOtherFrame = (marker: number): boolean => marker > 0xc1 && marker < 0xd0 && marker !== 0xc4 && marker !== 0xcc;

/** Steps of the 64 coefficients, in zigzag order. */
export type QuantisationTable = Uint16Array;

export interface FrameComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly across: number;
  readonly down: number;
  readonly quantisation: number;
}

export interface Frame {
  /** Columns and rows, px. */
  readonly width: number;
  readonly height: number;
  readonly components: readonly FrameComponent[];
}

export interface ScanComponent {
  readonly id: number;
  readonly dc: number;
  readonly ac: number;
}

/** What tables say at one point of a stream; they may change between scans. */
export interface JpegTables {
  readonly quantisation: Map<number, QuantisationTable>;
  readonly dc: Map<number, HuffmanTable>;
  readonly ac: Map<number, HuffmanTable>;
  restartInterval: number;
}

export const noTables = (): JpegTables => ({
  quantisation: new Map(),
  dc: new Map(),
  ac: new Map(),
  restartInterval: 0,
});

/** What a stream comes to next. */
export type Segment =
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** `at`: where its entropy-coded data begin. */
  | { readonly kind: 'scan'; readonly components: readonly ScanComponent[]; readonly at: number }
  | { readonly kind: 'end' };

/**
 * Reads marker segments from `at` on, tables into `tables`, up to the next frame or scan header or the end.
 *
 * @returns the segment, and where it ends
 * @throws CorruptBlockError where the stream is damaged, or of a process that is not read
 */
export function nextSegment(bytes: Uint8Array, at: number, tables: JpegTables): { segment: Segment; next: number } {
  for (let from = at; ;) {
    if (bytes[from] !== 0xff) throw new CorruptBlockError(`has no JPEG marker at its byte ${from}`);
    const marker = bytes[from + 1] ?? 0;
    if (marker === 0xff || marker === MARKER.start) {
      from += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === MARKER.end) return { segment: { kind: 'end' }, next: from + 2 };
    const length = ((bytes[from + 2] ?? 0) << 8) | (bytes[from + 3] ?? 0);
    const next = from + 2 + length;
    if (length < 2 || next > bytes.length) throw new CorruptBlockError('ends inside its JPEG header');
    const body = bytes.subarray(from + 4, next);
    if (marker === MARKER.baseline || marker === MARKER.extended) {
      return { segment: { kind: 'frame', frame: readFrame(body) }, next };
    }
    if (isOtherFrame(marker)) {
      throw new CorruptBlockError(
        `is ${marker === 0xc2 ? 'progressive' : 'lossless or arithmetic'} JPEG, which is not read`,
        {
          damaged: false,
        },
      );
    }
    if (marker === MARKER.scan) return { segment: { kind: 'scan', components: readScan(body), at: next }, next };
    if (marker === MARKER.huffman) readHuffman(body, tables);
    else if (marker === QUANTISATION) readQuantisation(body, tables);
    else if (marker === RESTART_INTERVAL) tables.restartInterval = word(body, 0);
    from = next;
  }
}

const word = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

function readFrame(body: Uint8Array): Frame {
  const [precision = 0] = body;
  const count = body[5] ?? 0;
  if (precision !== 8) {
    throw new CorruptBlockError(`is JPEG of ${precision} bits, of which only 8 are read`, { damaged: false });
  }
  const components = Array.from({ length: count }, (_, index): FrameComponent => {
    const [id = 0, factors = 0, quantisation = 0] = body.subarray(6 + index * 3, 9 + index * 3);
    return { id, across: factors >> 4, down: factors & 15, quantisation };
  });
  const factors = components.flatMap(({ across, down }) => [across, down]);
  if (body.length < 6 + count * 3 || count < 1 || factors.some((factor) => factor < 1 || factor > 4)) {
    throw new CorruptBlockError('has a JPEG frame header that cannot be');
  }
  return { width: word(body, 3), height: word(body, 1), components };
}

function readScan(body: Uint8Array): ScanComponent[] {
  const [count = 0] = body;
  if (count < 1 || count > 4 || body.length < 4 + count * 2) {
    throw new CorruptBlockError('has a JPEG scan header that cannot be');
  }
  return Array.from({ length: count }, (_, index) => {
    const tables = body[2 + index * 2] ?? 0;
    return { id: body[1 + index * 2] ?? 0, dc: tables >> 4, ac: tables & 15 };
  });
}

function readQuantisation(body: Uint8Array, { quantisation }: JpegTables): void {
  for (let at = 0; at < body.length;) {
    const head = body[at] ?? 0;
    const wide = head >> 4 !== 0;
    if (at + 1 + (wide ? 128 : 64) > body.length) throw new CorruptBlockError('ends inside a JPEG quantisation table');
    const steps = Uint16Array.from({ length: 64 }, (_, i) =>
      wide ? word(body, at + 1 + i * 2) : (body[at + 1 + i] ?? 0),
    );
    quantisation.set(head & 15, steps);
    at += wide ? 129 : 65;
  }
}

function readHuffman(body: Uint8Array, { dc, ac }: JpegTables): void {
  for (let at = 0; at < body.length;) {
    const head = body[at] ?? 0;
    const counts = body.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total > 256 || at + 17 + total > body.length) throw new CorruptBlockError('ends inside a JPEG Huffman table');
    const table = huffmanTable(counts, body.slice(at + 17, at + 17 + total));
    (head >> 4 === 0 ? dc : ac).set(head & 15, table);
    at += 17 + total;
  }
}
