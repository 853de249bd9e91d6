import type { StrayFate } from '../../lambda/pipeline/recovery/collect-garbage.ts';

/** In the order in which they are told. */
const SAID: Readonly<Record<StrayFate, string>> = {
  removed: 'removed',
  'would be removed': 'would be removed',
  'in use': 'in use',
  young: 'young',
  'unknown scene': 'of unknown scenes',
  foreign: 'foreign',
};

/** Counts what became of strays, so that the last line of `gc` says what its lines say. */
export class GarbageTotal {
  readonly #counts = new Map<string, number>();
  #strays = 0;
  #bytes = 0;

  add(what: StrayFate, bytes: number): void {
    this.#strays++;
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    if (what === 'removed' || what === 'would be removed') this.#bytes += bytes;
  }

  /** `3 stray objects: 1 removed (8 bytes), 1 young, 1 foreign` */
  get line(): string {
    const parts = Object.entries(SAID).flatMap(([what, said]) => {
      const count = this.#counts.get(what);
      if (count === undefined) return [];
      return [`${count} ${said}${said.endsWith('removed') ? ` (${this.#bytes} bytes)` : ''}`];
    });
    return [`${this.#strays} stray objects`, ...(parts.length === 0 ? [] : [parts.join(', ')])].join(': ');
  }
}
