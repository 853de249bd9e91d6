/* oxlint-disable typescript/no-unsafe-type-assertion --
   index reads that the loop's own bounds prove: `?? 0` in their place costs up to a third of the speed. */
import { CorruptBlockError } from '../corrupt-block.ts';
import { BitReader } from './huffman.ts';
import type { HuffmanTable } from './huffman.ts';
import { inverseDct } from './inverse-dct.ts';
import type { JpegTables, QuantisationTable, ScanComponent } from './segments.ts';

/** One component while it is decoded. */
export interface ComponentBuffer {
  readonly id: number;
  readonly across: number;
  readonly down: number;
  readonly quantisation: number;
  /** 8 x 8 blocks that the image needs, without those that only fill up the last unit. */
  readonly blocksAcross: number;
  readonly blocksDown: number;
  /** Samples a row of `samples`: room for whole units. */
  readonly stride: number;
  readonly samples: Uint8ClampedArray;
}

interface Decoded {
  readonly buffer: ComponentBuffer;
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
  readonly steps: QuantisationTable;
  previous: number;
}

/** In a unit of interleaved components (T.81, B.2.3). */
const MOST_BLOCKS = 10;

/** From the order of coding, which goes up and down the diagonals, to rows. */
const ZIGZAG = Uint8Array.from(
  Array.from({ length: 15 }, (_, diagonal) => {
    const rows = Array.from({ length: 8 }, (__, row) => row).filter((row) => diagonal - row >= 0 && diagonal - row < 8);
    const places = rows.map((row) => row * 8 + diagonal - row);
    return diagonal % 2 === 0 ? places.toReversed() : places;
  }).flat(),
);

/**
 * Decodes one baseline scan into its components' buffers (T.81, A.2 for the order of blocks, F.2 for the coding).
 *
 * @param unitsAcross and `unitsDown`: units of the largest sampling factors, the order of interleaved components
 * @returns where the marker behind the scan begins
 * @throws CorruptBlockError where it is damaged, or names a table that is not there
 */
export function decodeScan(
  bytes: Uint8Array,
  at: number,
  scan: readonly ScanComponent[],
  buffers: readonly ComponentBuffer[],
  tables: JpegTables,
  unitsAcross: number,
  unitsDown: number,
): number {
  const components = scan.map((component) => prepare(component, buffers, tables));
  const blocks = buffers.reduce((sum, { across, down }) => sum + across * down, 0);
  if (scan.length > 1 && blocks > MOST_BLOCKS) throw new CorruptBlockError('has JPEG units of more than 10 blocks');
  const bits = new BitReader(bytes, at);
  const [only] = components;
  const alone = components.length === 1 && only !== undefined ? only : null;
  const across = alone?.buffer.blocksAcross ?? unitsAcross;
  const units = across * (alone?.buffer.blocksDown ?? unitsDown);
  const { restartInterval } = tables;
  for (let unit = 0; unit < units; unit++) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      bits.restart((unit / restartInterval - 1) % 8);
      for (const component of components) component.previous = 0;
    }
    const column = unit % across;
    const row = Math.floor(unit / across);
    if (alone !== null) {
      decodeBlock(bits, alone, column, row);
      continue;
    }
    for (const component of components) {
      const { buffer } = component;
      for (let y = 0; y < buffer.down; y++) {
        for (let x = 0; x < buffer.across; x++) {
          decodeBlock(bits, component, column * buffer.across + x, row * buffer.down + y);
        }
      }
    }
  }
  return bits.end();
}

function prepare({ id, dc, ac }: ScanComponent, buffers: readonly ComponentBuffer[], tables: JpegTables): Decoded {
  const buffer = buffers.find((component) => component.id === id);
  const dcTable = tables.dc.get(dc);
  const acTable = tables.ac.get(ac);
  const steps = buffer === undefined ? undefined : tables.quantisation.get(buffer.quantisation);
  if (buffer === undefined || dcTable === undefined || acTable === undefined || steps === undefined) {
    throw new CorruptBlockError('has a JPEG scan that names a component or table that is not there');
  }
  return { buffer, dc: dcTable, ac: acTable, steps, previous: 0 };
}

const coefficients = new Int32Array(64);

function decodeBlock(bits: BitReader, component: Decoded, column: number, row: number): void {
  const { buffer, steps } = component;
  coefficients.fill(0);
  const size = bits.symbol(component.dc);
  if (size > 15) throw new CorruptBlockError('has a JPEG coefficient of more than 15 bits');
  if (size > 0) component.previous += bits.signed(size);
  coefficients[0] = component.previous * (steps[0] as number);
  for (let index = 1; index < 64; index++) {
    const symbol = bits.symbol(component.ac);
    const run = symbol >> 4;
    const length = symbol & 15;
    if (length === 0) {
      if (run !== 15) break;
      index += 15;
      continue;
    }
    index += run;
    if (index > 63) throw new CorruptBlockError('has a JPEG block of more than 64 coefficients');
    coefficients[ZIGZAG[index] as number] = bits.signed(length) * (steps[index] as number);
  }
  inverseDct(coefficients, buffer.samples, row * 8 * buffer.stride + column * 8, buffer.stride);
}
