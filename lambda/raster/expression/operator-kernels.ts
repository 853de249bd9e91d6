import * as bits from './bit-kernels.ts';
import * as kernels from './kernels.ts';
import type { BinaryKernel, UnaryKernel } from './kernels.ts';
import * as logic from './logic-kernels.ts';
import type { BinaryOperator, FunctionName } from './tree.ts';

/** The loop of each operator. */
export const BINARY: Readonly<Record<BinaryOperator, BinaryKernel>> = {
  '+': kernels.add,
  '-': kernels.subtract,
  '*': kernels.multiply,
  '/': kernels.divide,
  '%': kernels.remainder,
  '**': kernels.power,
  '==': logic.equal,
  '!=': logic.unequal,
  '<': logic.less,
  '<=': logic.lessOrEqual,
  '>': logic.greater,
  '>=': logic.greaterOrEqual,
  '&': bits.bitAnd,
  '|': bits.bitOr,
  '^': bits.bitXor,
  '<<': bits.shiftLeft,
  '>>': bits.shiftRight,
};

/** The loops of the functions of one argument. */
export const ONE_ARGUMENT: Readonly<Partial<Record<FunctionName, UnaryKernel>>> = {
  abs: kernels.absolute,
  sqrt: kernels.squareRoot,
  log: kernels.naturalLog,
  exp: kernels.exponential,
  floor: kernels.floor,
  round: kernels.round,
  isnodata: kernels.isNodata,
};

/** Functions of several arguments, as what joins the value so far with the next argument. */
export const JOINING: Readonly<Partial<Record<FunctionName, readonly BinaryKernel[]>>> = {
  min: [kernels.minimum],
  max: [kernels.maximum],
  clamp: [kernels.maximum, kernels.minimum],
  bit: [bits.bitAt],
};
