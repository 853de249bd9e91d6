import { z } from 'zod';

/**
 * What STAC 1.1.0 and the extensions projection 2.0.0, raster 2.0.0, file 2.1.0 and processing 1.2.0 ask of an item,
 * written from their specifications, and RFC 7946's rules for its geometry. Strict: an unknown field is an error.
 */
const longitude = z.number().min(-180).max(180);
const latitude = z.number().min(-90).max(90);
const position = z.tuple([longitude, latitude]);

const ring = z
  .array(position)
  .min(4)
  .refine((points) => String(points[0]) === String(points.at(-1)), 'a ring closes on its first point')
  .refine((points) => areaOf(points) > 0, 'an outer ring runs counter-clockwise');

const geometry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Polygon'), coordinates: z.array(ring).length(1) }),
  z.strictObject({ type: z.literal('MultiPolygon'), coordinates: z.array(z.array(ring).length(1)).min(2) }),
]);

const relativeHref = z.string().regex(/^\.{1,2}\//);
const projection = {
  'proj:shape': z.tuple([z.int().positive(), z.int().positive()]),
  'proj:transform': z.array(z.number()).length(6),
};
const file = { 'file:size': z.int().positive(), 'file:checksum': z.string().regex(/^1220[0-9a-f]{64}$/) };

const band = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1).optional(),
  data_type: z.enum(['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'float32', 'float64']),
  nodata: z.union([z.number(), z.enum(['nan', 'inf', '-inf'])]).optional(),
  unit: z.string().optional(),
  statistics: z
    .strictObject({
      minimum: z.number(),
      maximum: z.number(),
      mean: z.number(),
      stddev: z.number().nonnegative(),
      count: z.int().positive(),
      valid_percent: z.number().positive().max(100),
    })
    .optional(),
  'raster:sampling': z.literal('area'),
  'raster:scale': z.number().optional(),
  'raster:offset': z.number().optional(),
});

export const stacItem = z
  .strictObject({
    type: z.literal('Feature'),
    stac_version: z.literal('1.1.0'),
    stac_extensions: z
      .array(z.url())
      .refine((urls) => new Set(urls).size === urls.length, 'extensions are listed once'),
    id: z.string().regex(/^[\p{L}\p{N}._-]+$/u),
    geometry: geometry.nullable(),
    bbox: z.tuple([longitude, latitude, longitude, latitude]).optional(),
    properties: z.strictObject({
      datetime: z.iso.datetime({ offset: true }),
      'proj:code': z
        .string()
        .regex(/^[A-Z]+:\d+$/)
        .nullable(),
      ...projection,
      'proj:bbox': z.array(z.number()).length(4),
      'processing:software': z.record(z.string().min(1), z.string()),
      'processing:version': z.string(),
      'processing:lineage': z.string(),
      'processing:expression': z.strictObject({ format: z.string(), expression: z.unknown() }),
      'tileonce:job_id': z.string().regex(/^[0-9a-f]{64}$/),
      'tileonce:datetime_source': z.enum(['name', 'tiff', 'upload']),
      'tileonce:windows': z.int().positive(),
      'tileonce:windows_written': z.int().nonnegative(),
      'tileonce:windows_empty': z.int().nonnegative(),
      'tileonce:empty': z.boolean(),
      'tileonce:proj4': z.string().optional(),
    }),
    links: z.array(
      z.strictObject({
        rel: z.literal('derived_from'),
        href: z.string().min(1),
        type: z.string(),
        title: z.string(),
        'tileonce:version_token': z.string(),
        'tileonce:bands': z.array(z.string()).min(1),
      }),
    ),
    assets: z.record(
      z.string(),
      z.strictObject({
        href: relativeHref,
        title: z.string(),
        type: z.string(),
        roles: z.array(z.string()).min(1),
        bands: z.array(band).min(1).optional(),
        'proj:shape': projection['proj:shape'].optional(),
        'proj:transform': projection['proj:transform'].optional(),
        ...file,
      }),
    ),
  })
  .refine((item) => (item.geometry === null) === (item.bbox === undefined), 'a geometry has a bbox, and null has none')
  .refine((item) => prefixes(item).every((name) => extensionNames(item).has(name)), 'each prefix in use is declared')
  .refine((item) => [...extensionNames(item)].every((name) => prefixes(item).includes(name)), 'each extension is used');

/** Extensions by the prefix of their fields. */
function extensionNames(item: { stac_extensions: readonly string[] }): Set<string> {
  const names = item.stac_extensions.map((url) => new URL(url).pathname.split('/')[1] ?? '');
  return new Set(names.map((name) => (name === 'projection' ? 'proj' : name)));
}

function prefixes(item: unknown): string[] {
  const found = JSON.stringify(item).matchAll(/"(proj|raster|file|processing):[a-z_]+":/g);
  return [...new Set([...found].map((match) => match[1] ?? ''))];
}

function areaOf(points: readonly (readonly [number, number])[]): number {
  return points.reduce((sum, [x, y], i) => {
    const [x0, y0] = points.at(i - 1) ?? [x, y];
    return sum + (x0 * y - x * y0) / 2;
  }, 0);
}
