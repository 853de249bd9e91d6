type Constructor = new (...parts: unknown[]) => object;

const NAMES = [
  'ArrayBuffer',
  'Uint8Array',
  'Int8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
];

/** The largest single piece of memory, and all of it, that typed arrays and buffers were asked for, bytes. */
export interface Allocations {
  largest: number;
  total: number;
}

/**
 * Counts what is asked for while `work` runs, and refuses more than `limit` bytes at once before it is allocated.
 *
 * @throws RangeError out of the code under test, for a piece above the limit
 */
export async function countingAllocations(limit: number, work: () => Promise<void>): Promise<Allocations> {
  const counted: Allocations = { largest: 0, total: 0 };
  const originals = NAMES.map((name): [string, Constructor] => {
    const original: unknown = Reflect.get(globalThis, name);
    if (!isConstructor(original)) throw new TypeError(`${name} is no constructor`);
    return [name, original];
  });
  for (const [name, original] of originals) Reflect.set(globalThis, name, counting(original, counted, limit));
  try {
    await work();
  } finally {
    for (const [name, original] of originals) Reflect.set(globalThis, name, original);
  }
  return counted;
}

const isConstructor = (value: unknown): value is Constructor => typeof value === 'function';

function counting(original: Constructor, counted: Allocations, limit: number): Constructor {
  const size = Number(Reflect.get(original, 'BYTES_PER_ELEMENT') ?? 1);
  return new Proxy(original, {
    construct(target, parts: unknown[], made): object {
      const [length] = parts;
      const bytes = typeof length === 'number' ? length * size : 0;
      counted.largest = Math.max(counted.largest, bytes);
      counted.total += bytes;
      if (bytes > limit) throw new RangeError(`asked for ${bytes} bytes at once`);
      return Reflect.construct(target, parts, made === original ? target : made);
    },
  });
}
