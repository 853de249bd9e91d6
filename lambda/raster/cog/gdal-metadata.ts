import { standardDeviation } from '../statistics.ts';
import type { BandStatistics } from '../types.ts';
import type { BandTag, CogDescription } from './cog-image.ts';
import { storedNodata } from './sample-type.ts';

/** The dataset item that holds the digest of pixels and georeference. */
export const DIGEST_ITEM = 'TILEONCE_PIXEL_DIGEST';

/** The text of GDAL's metadata tag (42112): the pixel digest, and each band's statistics, name, scale, offset and unit. */
export function gdalMetadata(description: CogDescription): string {
  const pixels = description.width * description.height;
  const items = [item(DIGEST_ITEM, description.digest)];
  for (const [band, tag] of description.bandTags.entries()) items.push(...bandItems(tag, band, pixels));
  return `<GDALMetadata>\n${items.map((line) => `  ${line}\n`).join('')}</GDALMetadata>\n`;
}

/** The text of GDAL's nodata tag (42113), or null where there is no nodata value. */
export function gdalNodata({ dataType, nodata }: Pick<CogDescription, 'dataType' | 'nodata'>): string | null {
  if (nodata === null) return null;
  const value = storedNodata(dataType, nodata) ?? nodata;
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return String(value);
}

/** The digest in a metadata tag's text, or null. */
export function digestIn(metadata: string): string | null {
  return new RegExp(`<Item name="${DIGEST_ITEM}">([0-9a-f]{64})</Item>`).exec(metadata)?.[1] ?? null;
}

function bandItems({ name, scale, offset, unit, statistics }: BandTag, band: number, pixels: number): string[] {
  const items = statistics === null || statistics.count === 0 ? [] : statisticsItems(statistics, band, pixels);
  if (name !== null) items.push(item('DESCRIPTION', name, band, 'description'));
  if (offset !== null) items.push(item('OFFSET', String(offset), band, 'offset'));
  if (scale !== null) items.push(item('SCALE', String(scale), band, 'scale'));
  if (unit !== null) items.push(item('UNITTYPE', unit, band, 'unittype'));
  return items;
}

/**
 * Names and meanings are GDAL's; the deviation is the population's, the share of valid pixels has four digits. What is not
 * known is left out.
 */
function statisticsItems(statistics: BandStatistics, band: number, pixels: number): string[] {
  const { count, min, max, mean } = statistics;
  const deviation = standardDeviation(statistics);
  return [
    item('STATISTICS_MAXIMUM', String(max), band),
    ...(mean === null ? [] : [item('STATISTICS_MEAN', String(mean), band)]),
    item('STATISTICS_MINIMUM', String(min), band),
    ...(deviation === null ? [] : [item('STATISTICS_STDDEV', String(deviation), band)]),
    item('STATISTICS_VALID_PERCENT', String(Number(((100 * count) / pixels).toPrecision(4))), band),
  ];
}

/** GDAL escapes values twice when it writes and undoes both when it reads; so must who writes for it. */
function item(name: string, value: string, sample?: number, role?: string): string {
  const where = sample === undefined ? '' : ` sample="${sample}"`;
  return `<Item name="${name}"${where}${role === undefined ? '' : ` role="${role}"`}>${escapeXml(escapeXml(value))}</Item>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
