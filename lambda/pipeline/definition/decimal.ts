/** Decimal numbers as a pipeline file writes them in quotes. */
export const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The value of a number of a pipeline file: a JSON number, or a decimal in quotes. -0 is 0. */
export const numberOf = (written: number | string): number => Number(written) + 0;

/** The same for a nodata value, which may also be `nan` in any case. */
export const nodataOf = (written: number | string): number =>
  typeof written === 'string' && written.toLowerCase() === 'nan' ? NaN : numberOf(written);

/**
 * The shortest decimal that reads back as the same number, without an exponent: 1e-4 is `0.0001`.
 *
 * @param value a finite number.
 */
export const decimalText = (value: number): string => {
  const [mantissa = '', exponent] = String(value + 0).split('e');
  if (exponent === undefined) return mantissa;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
};
