/** Runs `work` on every item, at most `limit` at a time. After a failure nothing new begins; the failure is thrown once all have ended. */
export async function forEachBounded<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true && failures.length === 0; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (failure) {
        failures.push(failure);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  if (failures.length > 0) throw failures[0];
}

/** Results of `work` in the order of `items`, with up to `ahead` of them under way before they are asked for. */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  try {
    for (const item of items) {
      underWay.push(work(item));
      const first = underWay.length > ahead ? underWay.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (let first = underWay.shift(); first !== undefined; first = underWay.shift()) yield await first;
  } finally {
    // Whoever stops early has no use for the rest, not even for its failures.
    await Promise.allSettled(underWay);
  }
}
