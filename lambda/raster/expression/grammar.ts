import jsep from 'jsep';

/** Binding strength, weakest first. Bit operators bind tighter than comparisons, so that `QA & 8 == 8` tests the bit. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** A parser's tree with what it does not keep itself: where a node begins (from 0), and whether brackets enclose it. */
export interface SyntaxTree {
  readonly root: jsep.Expression;
  readonly start: (node: jsep.Expression) => number;
  readonly bracketed: (node: jsep.Expression) => boolean;
}

/** What the parser could not read; the index counts characters from 0. */
export class GrammarError extends Error {
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

interface Positions {
  readonly starts: WeakMap<jsep.Expression, number>;
  readonly bracketed: WeakSet<jsep.Expression>;
  /** Starts of the tokens that are being read, innermost last. */
  readonly open: number[];
}

const noPositions = (): Positions => ({ starts: new WeakMap(), bracketed: new WeakSet(), open: [] });

// The parser's operators and hooks are its module's state and it works synchronously: the positions of the parse at hand
// are the module's state too.
let positions = noPositions();

const isNumberStart = (code: number): boolean => code === 46 || (code >= 48 && code <= 57);

jsep.removeAllBinaryOps();
jsep.removeAllUnaryOps();
jsep.removeAllLiterals();
jsep.removeIdentifierChar('$');
jsep.addUnaryOp('-');
jsep.addUnaryOp('!');
PRECEDENCE.forEach((operators, level) => operators.forEach((operator) => jsep.addBinaryOp(operator, level + 1)));

jsep.hooks.add('gobble-token', function rememberStart(env) {
  positions.open.push(this.index);
  // Numbers are read here because the parser's own way with them skips the hook below.
  const number = isNumberStart(this.code) ? this.gobbleNumericLiteral() : undefined;
  if (number !== undefined) env.node = number;
});

// A power is read as part of its base, so that a sign before the base applies to the whole power (-2**2 is -4) and
// powers associate to the right.
jsep.hooks.add('after-token', function readPower(env) {
  const start = positions.open.pop() ?? 0;
  const base = env.node;
  if (!base) return;
  if (!positions.starts.has(base)) positions.starts.set(base, start);
  if (this.expr[start] === '(') positions.bracketed.add(base);
  this.gobbleSpaces();
  if (!this.expr.startsWith('**', this.index)) return;
  this.index += 2;
  const exponent = this.gobbleToken();
  if (!exponent) this.throwError('Expected expression after **');
  env.node = { type: 'BinaryExpression', operator: '**', left: base, right: exponent };
  positions.starts.set(env.node, start);
});

/** Whether what a node holds is a node itself. */
export const isNode = (value: unknown): value is jsep.Expression =>
  typeof value === 'object' && value !== null && 'type' in value;

const leftmost = (node: jsep.Expression): jsep.Expression => {
  const first = node['left'] ?? node['test'];
  return isNode(first) ? leftmost(first) : node;
};

/**
 * Reads an expression's text with the parser's grammar; what of it is allowed is for the caller to say.
 *
 * @throws GrammarError where the text is no expression.
 */
export const readSyntax = (text: string): SyntaxTree => {
  positions = noPositions();
  const { starts, bracketed } = positions;
  try {
    const root = jsep(text);
    return {
      root,
      start: (node) => starts.get(node) ?? starts.get(leftmost(node)) ?? 0,
      bracketed: (node) => bracketed.has(node),
    };
  } catch (error) {
    if (error instanceof RangeError) throw new GrammarError('nested too deeply', 0);
    if (!(error instanceof Error) || !('index' in error) || typeof error.index !== 'number') throw error;
    const message = 'description' in error && typeof error.description === 'string' ? error.description : error.message;
    throw new GrammarError(message, error.index);
  }
};
