import { TileonceError } from '../../errors.ts';

/** One fault of an expression; the column counts characters from 1. */
export interface ExpressionProblem {
  readonly column: number;
  readonly message: string;
}

/** An expression that cannot be understood; lists every fault that was found. */
export class ExpressionError extends TileonceError {
  readonly expression: string;
  readonly problems: readonly ExpressionProblem[];

  constructor(expression: string, problems: readonly ExpressionProblem[]) {
    const list = problems.map(({ column, message }) => `column ${column}: ${message}`).join('; ');
    super(`expression "${expression}": ${list}`);
    this.expression = expression;
    this.problems = problems;
  }
}
