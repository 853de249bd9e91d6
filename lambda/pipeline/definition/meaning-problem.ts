import type { JsonPath } from './json-text.ts';

/** A fault of what fields mean; `index` counts characters from 0 inside the text at `path`. */
export interface MeaningProblem {
  readonly path: JsonPath;
  readonly message: string;
  readonly index?: number;
}
