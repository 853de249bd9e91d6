import { SourceError } from '../../errors.ts';
import { crsFromGeoKeys } from '../crs/from-geokeys.ts';
import { newMemory } from '../pixel-memory.ts';
import type { DataType, FloatPixels, PixelRect, RangeReader, RasterGrid } from '../types.ts';
import { BlockReader } from './block-reader.ts';
import { BlockTable } from './block-table.ts';
import { copyBlock } from './copy-block.ts';
import { walkDirectories } from './directory-walk.ts';
import { parseDirectories } from './directory.ts';
import { geotransformOf, requireGeoKeys } from './georeference.ts';
import { comparableNodata, exactInteger, parseNodata, sparseValue } from './nodata.ts';
import type { PyramidLevel, StoredImage } from './pyramid.ts';
import { readPyramid } from './pyramid.ts';
import { RangeSource } from './range-source.ts';
import type { RasterDescription } from './raster-description.ts';
import { readDescription } from './raster-description.ts';
import type { RasterSource, WindowOptions } from './raster-source.ts';
import type { BandTarget } from './window.ts';
import { applyMask, bandTarget, blocksOf, requireInside } from './window.ts';

export type { RasterLevel, RasterSource, WindowOptions } from './raster-source.ts';

/** Decoded blocks kept by one source, bytes. */
const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Opens a GeoTIFF: reads its header and directories, no pixels.
 *
 * @param options.cacheBytes upper bound of the decoded blocks kept between windows, bytes (default 64 MiB)
 * @throws SourceError for what is no TIFF, is damaged, or is stored in a way that is not read; naming the trait and a remedy
 */
export async function openSource(
  reader: RangeReader,
  signal?: AbortSignal,
  options: { readonly cacheBytes?: number } = {},
): Promise<RasterSource> {
  const source = new RangeSource(reader);
  const map = await walkDirectories(source, signal);
  const directories = await parseDirectories(source, map);
  const [first] = directories;
  if (first === undefined) throw new SourceError(reader.name, 'holds no image', {});
  const levels = await readPyramid(directories, first);
  const description = await readDescription(first);
  const exactNodata = exactInteger(description.nodataText);
  return new GeotiffSource(
    source,
    levels,
    description,
    new BlockReader(source, options.cacheBytes ?? CACHE_BYTES, exactNodata),
  );
}

class GeotiffSource implements RasterSource {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly bandCount: number;
  readonly dataType: DataType;
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly levels: RasterSource['levels'];
  readonly nodata: number | null;
  readonly dateTime: string | null;
  readonly #source: RangeSource;
  readonly #pyramid: readonly PyramidLevel[];
  readonly #description: RasterDescription;
  readonly #blocks: BlockReader;
  readonly #tables = new Map<number, Promise<BlockTable>>();

  constructor(
    source: RangeSource,
    pyramid: readonly PyramidLevel[],
    description: RasterDescription,
    blocks: BlockReader,
  ) {
    const [full] = pyramid;
    if (full === undefined) throw new SourceError(source.name, 'holds no image', {});
    const { layout } = full.image;
    this.name = source.name;
    this.width = layout.width;
    this.height = layout.height;
    this.bandCount = layout.samples;
    this.dataType = layout.dataType;
    this.blockWidth = layout.blockWidth;
    this.blockHeight = layout.blockHeight;
    this.levels = pyramid.map(({ image }, index) => ({
      width: image.layout.width,
      height: image.layout.height,
      reduced: index > 0,
    }));
    const nodata = parseNodata(description.nodataText);
    this.nodata = comparableNodata(nodata, layout.dataType) ?? nodata;
    this.dateTime = description.dateTime;
    this.#source = source;
    this.#pyramid = pyramid;
    this.#description = description;
    this.#blocks = blocks;
  }

  grid(): RasterGrid {
    const { georeference } = this.#description;
    const geotransform = geotransformOf(georeference, this.name);
    const crs = crsFromGeoKeys(requireGeoKeys(georeference, this.name), this.name);
    return { crs, geotransform, width: this.width, height: this.height };
  }

  scaleOf(band: number): number | null {
    return this.#numberItem(band, 'scale');
  }

  offsetOf(band: number): number | null {
    return this.#numberItem(band, 'offset');
  }

  description(band: number): string | null {
    return this.#description.bandMetadata.get(band)?.get('description') ?? null;
  }

  async readWindow(
    bands: readonly number[],
    rect: PixelRect,
    level: number,
    options: WindowOptions = {},
  ): Promise<FloatPixels[]> {
    const { image, mask } = this.#level(level);
    for (const band of bands) this.#requireBand(band);
    requireInside(rect, this.levels[level] ?? this);
    const nodata = options.nodata === undefined ? this.nodata : options.nodata;
    const memory = options.memory ?? newMemory;
    const wanted = bands.map((band) => bandTarget(image.layout, band, rect, nodata, memory));
    const alphas = image.layout.alphaBands.map((band) => bandTarget(image.layout, band, rect, null, memory));
    const validity = mask === null ? [] : [bandTarget(mask.layout, 1, rect, null, memory)];
    await Promise.all([
      this.#fill(image, sparseValue(this.nodata, this.dataType), rect, [...wanted, ...alphas], options),
      // A mask has no nodata: what a sparse mask leaves out is 0, invalid.
      mask === null ? undefined : this.#fill(mask, 0, rect, validity, options),
    ]);
    for (const { band, pixels } of wanted) {
      for (const { pixels: valid } of validity) applyMask(pixels, valid);
      for (const alpha of alphas) if (alpha.band !== band) applyMask(pixels, alpha.pixels);
    }
    return wanted.map(({ pixels }) => pixels);
  }

  close(): void {
    this.#blocks.clear();
    this.#source.clear();
  }

  /** @param sparse raw value of blocks that the file leaves out */
  async #fill(
    image: StoredImage,
    sparse: number,
    rect: PixelRect,
    targets: readonly BandTarget[],
    { signal, held }: WindowOptions,
  ): Promise<void> {
    const { layout } = image;
    const bands = targets.map(({ band }) => band);
    const refs = blocksOf(await this.#table(image), layout, bands, rect);
    await this.#blocks.each(image, refs, (ref, samples) => copyBlock(layout, ref, samples, sparse, rect, targets), {
      signal,
      held,
    });
  }

  #table(image: StoredImage): Promise<BlockTable> {
    const held = this.#tables.get(image.id);
    if (held !== undefined) return held;
    const loaded = BlockTable.load(image.directory, image.layout, this.#source.fileSize);
    this.#tables.set(image.id, loaded);
    // A read that failed is tried again: the store may be back.
    loaded.catch(() => this.#tables.delete(image.id));
    return loaded;
  }

  #level(level: number): PyramidLevel {
    const found = this.#pyramid[level];
    if (found === undefined) throw new RangeError(`${this.name} has no level ${level}`);
    return found;
  }

  #requireBand(band: number): void {
    if (Number.isInteger(band) && band >= 1 && band <= this.bandCount) return;
    const has = this.bandCount === 1 ? 'only one band' : `only ${this.bandCount} bands`;
    throw new SourceError(this.name, `the file has ${has}`, {
      band,
      remedy: `name a band from 1 to ${this.bandCount}`,
    });
  }

  #numberItem(band: number, role: string): number | null {
    this.#requireBand(band);
    const text = this.#description.bandMetadata.get(band)?.get(role);
    const value = text === undefined ? Number.NaN : Number.parseFloat(text);
    return Number.isFinite(value) ? value : null;
  }
}
