/**
 * What was made once, by its key. Where there are `most` all are forgotten: jobs of one process share a handful, and the
 * bound is against one that lives for months.
 */
export class BoundedMemo<T> {
  readonly #most: number;
  readonly #known = new Map<string, { readonly value: T }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value of a key, made where it is not known. */
  get(key: string, make: () => T): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known.value;
    const value = make();
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, { value });
    return value;
  }
}
