import type { Crs } from '../types.ts';

/** Are two systems one, so that coordinates pass between them unchanged? By code, else by the parameters of their definitions. */
export const sameCrs = (a: Crs, b: Crs): boolean =>
  a.code !== null && b.code !== null ? a.code === b.code : parameters(a.proj4) === parameters(b.proj4);

/** Parameters that say nothing about coordinates. */
const WITHOUT_MEANING = new Set([
  'no_defs',
  'wktext',
  'type=crs',
  'units=m',
  'x_0=0',
  'y_0=0',
  'lon_0=0',
  'k=1',
  'k_0=1',
]);

/** A proj4 string's parameters in one spelling and order; WKT as it is. */
const parameters = (definition: string): string =>
  definition.startsWith('+')
    ? definition
        .split('+')
        .map((parameter) => parameter.trim())
        .map((parameter) => {
          const [key = '', value] = parameter.split('=');
          const number = Number(value);
          return value === undefined || value === '' || Number.isNaN(number) ? parameter : `${key}=${number}`;
        })
        .filter((parameter) => parameter !== '' && !WITHOUT_MEANING.has(parameter))
        .sort()
        .join(' ')
    : definition;
