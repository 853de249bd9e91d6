import type { Directory } from './directory.ts';
import type { ImageLayout } from './image-layout.ts';
import { readLayout } from './image-layout.ts';
import { TAG } from './tags.ts';

/** An image of the file with its tags. */
export interface StoredImage {
  /** The directory's number in the file; part of a cached block's key. */
  readonly id: number;
  readonly directory: Directory;
  readonly layout: ImageLayout;
}

/** One resolution of the raster. */
export interface PyramidLevel {
  readonly image: StoredImage;
  /** Validity of its pixels, where the file has it: 0 is invalid. */
  readonly mask: StoredImage | null;
}

const REDUCED = 1;
const MASK = 4;

/**
 * Sorts a file's images into one raster: full resolution first, then its overviews from large to small, each with its
 * mask. Pages that are none of these (a second scene, a thumbnail of other proportions) are left out; so is an
 * overview without a mask where the full resolution has one, for its validity would be unknown.
 *
 * @param directories as the file has them, the first being the full resolution
 * @throws SourceError where the full resolution is of a kind that is not read
 */
export async function readPyramid(
  directories: readonly Directory[],
  first: Directory,
): Promise<readonly PyramidLevel[]> {
  const main: StoredImage = { id: 0, directory: first, layout: await readLayout(first) };
  const overviews: StoredImage[] = [];
  const masks: StoredImage[] = [];
  for (const [id, directory] of directories.entries()) {
    const kind = id === 0 ? 0 : await subfileKind(directory);
    if ((kind & (REDUCED | MASK)) === 0) continue;
    const width = (await directory.number(TAG.ImageWidth)) ?? 0;
    const height = (await directory.number(TAG.ImageLength)) ?? 0;
    if ((kind & MASK) === 0 && !isReductionOf(main.layout, width, height)) continue;
    const layout = await readLayout(directory);
    if ((kind & MASK) !== 0) masks.push({ id, directory, layout });
    else if (sameSamples(main.layout, layout)) overviews.push({ id, directory, layout });
  }
  const maskOf = ({ layout }: StoredImage): StoredImage | null =>
    masks.find((mask) => mask.layout.width === layout.width && mask.layout.height === layout.height) ?? null;
  const full: PyramidLevel = { image: main, mask: maskOf(main) };
  const reduced = overviews
    .map((image): PyramidLevel => ({ image, mask: maskOf(image) }))
    .filter(({ mask }) => full.mask === null || mask !== null)
    .sort((a, b) => b.image.layout.width - a.image.layout.width || b.image.layout.height - a.image.layout.height);
  return [full, ...reduced];
}

/** NewSubfileType, or its predecessor's value put into its terms. */
async function subfileKind(directory: Directory): Promise<number> {
  const kind = await directory.number(TAG.NewSubfileType);
  if (kind !== undefined) return kind;
  return (await directory.number(TAG.SubfileType)) === 2 ? REDUCED : 0;
}

/** Smaller, and of the same proportions to within the rounding of each side to whole pixels. */
function isReductionOf(full: ImageLayout, width: number, height: number): boolean {
  const smaller = width <= full.width && height <= full.height && width * height < full.width * full.height;
  return smaller && Math.abs(width * full.height - height * full.width) <= full.width + full.height;
}

function sameSamples(full: ImageLayout, overview: ImageLayout): boolean {
  return (
    full.samples === overview.samples &&
    full.dataType === overview.dataType &&
    full.bits === overview.bits &&
    full.format === overview.format
  );
}
