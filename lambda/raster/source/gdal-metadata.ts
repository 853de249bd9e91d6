/** What the GDAL_METADATA tag says of a raster and its bands. */
export interface GdalMetadata {
  /** Items of the whole raster, whatever their domain, by name. */
  readonly items: ReadonlyMap<string, string>;
  /** Items of each band by role (scale, offset, description, unittype); the band from 1. */
  readonly bands: ReadonlyMap<number, ReadonlyMap<string, string>>;
}

const ENTITIES: Partial<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Reads the XML that GDAL writes into tag 42112: `<GDALMetadata><Item name= sample= role= domain=>text</Item>...`.
 * Anything else in it is passed over.
 */
export function parseGdalMetadata(xml: string | undefined): GdalMetadata {
  const items = new Map<string, string>();
  const bands = new Map<number, Map<string, string>>();
  for (const [, attributeText = '', text = ''] of (xml ?? '').matchAll(/<Item\b([^>]*)>([^<]*)<\/Item>/g)) {
    const attributes = new Map<string, string>();
    for (const [, key = '', value = ''] of attributeText.matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)) {
      attributes.set(key, unescapeXml(value));
    }
    const sample = attributes.get('sample');
    const name = attributes.get('name') ?? '';
    if (sample === undefined) {
      items.set(name, unescapeXml(text));
      continue;
    }
    const band = Number(sample) + 1;
    const roles = bands.get(band) ?? new Map<string, string>();
    roles.set((attributes.get('role') ?? name).toLowerCase(), unescapeXml(text));
    bands.set(band, roles);
  }
  return { items, bands };
}

/**
 * When the scene was taken: ACQUISITIONDATETIME where GDAL noted it, else the TIFF's own date tag, which has no zone
 * and is taken for UTC.
 *
 * @returns ISO 8601 to the second with `Z`, or null where neither is a date
 */
export function acquisitionTime(metadata: GdalMetadata, dateTimeTag: string | undefined): string | null {
  const acquired = metadata.items.get('ACQUISITIONDATETIME') ?? dateTimeTag ?? metadata.items.get('TIFFTAG_DATETIME');
  const match = /^\s*(\d{4})[:-](\d\d)[:-](\d\d)[T ](\d\d):(\d\d):(\d\d)/.exec(acquired ?? '');
  if (match === null) return null;
  const iso = `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}Z`;
  return Number.isNaN(Date.parse(iso)) ? null : iso;
}

function unescapeXml(text: string): string {
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
