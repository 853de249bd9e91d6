import assert from 'node:assert/strict';
import { describe, it } from '@jest/globals';

/** One rule of a port: passes, or throws. */
export interface ContractCase<Subject> {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}

/** A fresh, empty subject for one case. */
export interface Lent<Subject> {
  readonly subject: Subject;
  dispose?(): Promise<void> | void;
}

export type MakeSubject<Subject> = () => Lent<Subject> | Promise<Lent<Subject>>;

/** Deep and strict equality of plain data, wherever its arrays were made: a test runner's sandbox has an Array of its own. */
export const assertSame = (actual: unknown, expected: unknown): void =>
  assert.deepEqual(structuredClone(actual), structuredClone(expected));

/** Registers every case as a test of its own. */
export const contractTests = <Subject>(
  name: string,
  cases: readonly ContractCase<Subject>[],
  make: MakeSubject<Subject>,
): void => {
  // Titles are data here, and the cases assert by themselves, so that they can also be run against broken stores.
  // oxlint-disable jest/valid-title, jest/expect-expect
  describe(name, () => {
    for (const rule of cases) it(rule.name, () => runCase(rule, make));
  });
};

/** Names of the cases that a subject breaks: how negative controls see that a suite would notice. */
export const brokenRules = async <Subject>(
  cases: readonly ContractCase<Subject>[],
  make: MakeSubject<Subject>,
): Promise<string[]> => {
  const broken: string[] = [];
  for (const rule of cases) {
    try {
      await runCase(rule, make);
    } catch {
      broken.push(rule.name);
    }
  }
  return broken;
};

const runCase = async <Subject>(rule: ContractCase<Subject>, make: MakeSubject<Subject>): Promise<void> => {
  const lent = await make();
  try {
    await rule.run(lent.subject);
  } finally {
    await lent.dispose?.();
  }
};
