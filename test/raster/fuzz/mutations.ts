import type { SmallTiff } from './small-tiffs.ts';

/** What makes a decision: a whole number from 0 to below `count`. */
export type Choose = (count: number) => number;

/** Numbers that break arithmetic, ends of types and of the file. */
const EDGES = [
  0,
  1,
  2,
  3,
  7,
  8,
  15,
  16,
  255,
  256,
  4095,
  65_535,
  65_536,
  2 ** 20,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
];
const FIELD_TYPES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 255];
/** Compressions, predictors, formats, planes and the like are all among the small numbers and these. */
const TAG_VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64, 32_773, 32_946, 34_887, 50_000, 50_001];

interface Entry {
  readonly at: number;
  readonly little: boolean;
}

/** Changes one to three things in a file's header, directories or arrays. */
export function mutateHeader({ bytes, blocksAt }: SmallTiff, choose: Choose): Uint8Array<ArrayBuffer> {
  let out = Uint8Array.from(bytes);
  for (let left = 1 + choose(3); left > 0; left--) {
    const kind = choose(12);
    if (kind < 2) out[choose(blocksAt)] = choose(256);
    else if (kind === 2) out.copyWithin(choose(blocksAt), choose(blocksAt), choose(blocksAt));
    else if (kind === 3) out = out.slice(0, choose(out.length));
    else if (kind === 4) out.set(out[0] === 0x49 ? [0x4d, 0x4d] : [0x49, 0x49]);
    else if (kind === 5) out[2] = 43;
    else mutateEntry(out, choose, kind);
    if (out.length < blocksAt) return out;
  }
  return out;
}

function mutateEntry(out: Uint8Array<ArrayBuffer>, choose: Choose, kind: number): void {
  const entries = entriesOf(out);
  const entry = entries[choose(Math.max(1, entries.length))];
  if (entry === undefined) return;
  const { at, little } = entry;
  const view = new DataView(out.buffer);
  const edge = EDGES[choose(EDGES.length)] ?? 0;
  if (kind === 6) view.setUint16(at + 2, FIELD_TYPES[choose(FIELD_TYPES.length)] ?? 0, little);
  else if (kind === 7) view.setUint32(at + 4, edge, little);
  else if (kind === 8) view.setUint32(at + 8, choose(2) === 0 ? edge : choose(out.length + 8), little);
  else if (kind === 9) view.setUint16(at + 8, TAG_VALUES[choose(TAG_VALUES.length)] ?? 0, little);
  else if (kind === 10) view.setUint16(at, [254, 256, 257, 259, 277, 322, 330, 42_113][choose(8)] ?? 254, little);
  else {
    // The pointer to the next directory: to one met before, into one, or anywhere.
    const first = entries[0]?.at ?? 0;
    const next = [first - 2, first + 10, choose(out.length), out.length - 1][choose(4)] ?? 0;
    view.setUint32(first + 12 * (view.getUint16(first - 2, little) % 64), next, little);
  }
}

/** The first directory's entries, as far as they lie in the file. */
function entriesOf(bytes: Uint8Array<ArrayBuffer>): Entry[] {
  const view = new DataView(bytes.buffer);
  if (bytes.length < 8) return [];
  const little = bytes[0] === 0x49;
  const start = view.getUint32(4, little);
  if (start + 2 > bytes.length) return [];
  const count = view.getUint16(start, little);
  const entries = Array.from({ length: Math.min(count, 64) }, (_, index) => ({ at: start + 2 + 12 * index, little }));
  return entries.filter(({ at }) => at + 16 <= bytes.length);
}

/** Changes bits of blocks, or overwrites a stretch of them; the directories stay sound. */
export function mutateBlocks({ bytes, blocksAt }: SmallTiff, choose: Choose): Uint8Array<ArrayBuffer> {
  const out = Uint8Array.from(bytes);
  const anywhere = (): number => blocksAt + choose(out.length - blocksAt);
  for (let left = 1 + choose(4); left > 0; left--) {
    const at = anywhere();
    const kind = choose(4);
    if (kind === 0) out.fill(choose(256), at, at + 1 + choose(16));
    else if (kind === 1) out.copyWithin(at, anywhere(), anywhere());
    else out[at] = (out[at] ?? 0) ^ (1 << choose(8));
  }
  return out;
}
