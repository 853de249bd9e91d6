import { describe, expect, it } from '@jest/globals';
import { ExpressionError } from '../../../lambda/raster/expression/expression-error.ts';
import { parseExpression } from '../../../lambda/raster/expression/parse.ts';
import type { ExpressionNode } from '../../../lambda/raster/expression/tree.ts';

const BANDS = ['a', 'b', 'c', 'B08', 'QA', 'SCL'];

/** Writes a tree with every bracket, so that a test shows what binds to what. */
const bracketed = (node: ExpressionNode): string => {
  switch (node.kind) {
    case 'number':
      return String(node.value);
    case 'nodata':
      return 'nodata';
    case 'band':
      return node.name;
    case 'unary':
      return `(${node.operator}${bracketed(node.operand)})`;
    case 'binary':
    case 'logical':
      return `(${bracketed(node.left)} ${node.operator} ${bracketed(node.right)})`;
    case 'choice':
      return `(${bracketed(node.test)} ? ${bracketed(node.whenTrue)} : ${bracketed(node.whenFalse)})`;
    case 'call':
      break;
  }
  return `${node.name}(${node.arguments.map(bracketed).join(', ')})`;
};

const read = (text: string): string => bracketed(parseExpression(text, BANDS));

const faultsOf = (text: string): string[] => {
  try {
    parseExpression(text, BANDS);
  } catch (error) {
    if (error instanceof ExpressionError) return error.problems.map(({ column, message }) => `${column}: ${message}`);
    throw error;
  }
  return [];
};

describe('the grammar of expressions', () => {
  it.each([
    ['-2**2', '(-(2 ** 2))'],
    ['(-2)**2', '((-2) ** 2)'],
    ['2**-a**2', '(2 ** (-(a ** 2)))'],
    ['2**3**2', '(2 ** (3 ** 2))'],
    ['a * b ** 2', '(a * (b ** 2))'],
    ['a**2 * b', '((a ** 2) * b)'],
    ['abs(a)**2 + 1', '((abs(a) ** 2) + 1)'],
    ['a - b - c', '((a - b) - c)'],
    ['a / b * c % 2', '(((a / b) * c) % 2)'],
    ['-a * b', '((-a) * b)'],
    ['a - -b', '(a - (-b))'],
    ['QA & 8 == 8', '((QA & 8) == 8)'],
    ['QA & 1 | QA ^ 2 != 0', '(((QA & 1) | (QA ^ 2)) != 0)'],
    ['QA >> 2 & 3', '((QA >> 2) & 3)'],
    ['1 << 3 + 1', '(1 << (3 + 1))'],
    ['a > 1 && b < 2 || !c', '(((a > 1) && (b < 2)) || (!c))'],
    ['a ? b : c ? 1 : 2', '(a ? b : (c ? 1 : 2))'],
    ['a > b ? a : b + 1', '((a > b) ? a : (b + 1))'],
    ['(a < b) == (b < c)', '((a < b) == (b < c))'],
    ['clamp(a, 0, 1)', 'clamp(a, 0, 1)'],
    ['min(a, max(b, c), 1.5e3)', 'min(a, max(b, c), 1500)'],
    ['SCL == 3 ? nodata : .5', '((SCL == 3) ? nodata : 0.5)'],
    ['((B08))', 'B08'],
    ['bit(QA, 3) == 1 ? nodata\n : isnodata(a)', '((bit(QA, 3) == 1) ? nodata : isnodata(a))'],
  ])('reads %s as %s', (text, tree) => {
    expect(read(text)).toBe(tree);
  });
});

describe('what is refused, with its column', () => {
  it.each([
    ['', ['1: empty']],
    ['B80 + a', ['1: unknown name "B80": did you mean "B08"?']],
    ['a + snow', ['5: unknown name "snow" (bands: a, b, c, B08, QA, SCL)']],
    ['x1 + clmp(a, 0, 1) + zz9', ['1', '6', '22']],
    ['clmp(a, 0, 1)', ['1: unknown function "clmp": did you mean "clamp"?']],
    ['a + sqrt', ['5: sqrt is a function: write sqrt(...)']],
    ['sqrt(a, b)', ['1: sqrt takes 1 argument, not 2']],
    ['clamp(a, 0)', ['1: clamp takes 3 arguments, not 2']],
    ['a and b', ['3: did you mean &&?']],
    ['a b', ['3: an operator is missing here']],
    ['2(a)', ['3: an operator is missing here']],
    ['a = b', ['3: unexpected "=": did you mean ==?']],
    ['a + ', ['5: expected expression after +']],
    ['(a + b', ['7: unclosed (']],
    ['a + b)', ['6: unexpected ")"']],
    ['a ? b', ['6: expected :']],
    ['0 < a < 1', ['1: comparisons cannot be chained: join two of them with &&']],
    ['a == nodata', ['1: nothing compares with nodata: use isnodata(x)']],
    ['a.constructor', ['1: a name cannot have members']],
    ['a[0]', ['2: unexpected character "["']],
    ['"a"', ['1: unexpected character """']],
    ['a; b', ['2: unexpected character ";"']],
    ['a, b', ['2: a comma belongs between the arguments of a function']],
    ['min((a, b), c)', ['7: a comma belongs between the arguments of a function']],
    ['min(a b)', ['1: a comma between arguments is missing']],
    ['constructor(a)', ['1: unknown function "constructor"']],
    ['this', ['1: unknown name "this"']],
    ['(a)(b)', ['1: unknown function "a"']],
    ['1e999', ['1: not a finite number']],
    ['~a', ['1: unexpected character "~"']],
    ['a === b', ['5: expected expression after ==']],
    ['a ?? b', ['4']],
  ])('%s', (text, faults) => {
    expect(faultsOf(text).map((fault, index) => fault.slice(0, faults[index]?.length))).toEqual(faults);
  });

  it('a nest too deep for any stack', () => {
    expect(faultsOf(`${'('.repeat(4000)}a`)).toHaveLength(1);
  });
});
