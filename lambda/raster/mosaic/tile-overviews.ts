import type { BlockFormat } from '../cog/block.ts';
import { blockRect, unpackBlock } from '../cog/block.ts';
import { FRAME_BYTES, LEADER_BYTES } from '../cog/layout.ts';
import { timesHalved } from '../cog/overview.ts';
import type { PixelRect, RasterSize } from '../types.ts';
import type { ReadRun } from './block-table.ts';
import type { DecodedLevel } from './decoded-blocks.ts';
import { blockDecoder, intersection } from './decoded-blocks.ts';
import { release } from '../release.ts';
import type { Tile } from './tile-set.ts';

/** One block of a tile's overview, and the part of the scene's level that it covers, px. */
interface Piece {
  readonly source: number;
  readonly offset: number;
  readonly bytes: number;
  readonly blockSize: number;
  readonly area: PixelRect;
}

/** The blocks that a rectangle of the level is put together from. */
export type PiecesUnder = (rect: PixelRect) => readonly Piece[];

/**
 * A scene's overview level as blocks of the tiles' own overviews. Null where some tile has no such overview, or where its
 * pixels are not the scene's: they are where windows begin on whole pixels of the level and the scene was exactly halved
 * that often.
 *
 * @param depth of the level; 0 is full resolution
 */
export function overviewPieces(tiles: readonly Tile[], depth: number, scene: RasterSize): PiecesUnder | null {
  const step = 2 ** depth;
  const whole = tiles.every(
    ({ rect, index }) => index.levels.length > depth && rect.x % step === 0 && rect.y % step === 0,
  );
  if (!whole || timesHalved(scene) < depth) return null;
  const rows = [...Map.groupBy(tiles.entries(), ([, { row }]) => row).values()];
  return (rect) => [...piecesUnder(rows, depth, rect)];
}

/**
 * A scene's overview level put together from the tiles' own overviews, whatever their blocks: a quarter of the pixels of
 * the level below, and nothing to average. Null where there are none, see `overviewPieces`.
 */
export function tileOverviews(
  tiles: readonly Tile[],
  depth: number,
  scene: RasterSize,
  format: BlockFormat,
  readRun: ReadRun,
): DecodedLevel | null {
  const under = overviewPieces(tiles, depth, scene);
  if (under === null) return null;
  const decode = blockDecoder(tiles, readRun);
  return {
    pixels: async (rect, memory) => {
      const pieces = under(rect);
      if (pieces.length === 0) return null;
      const bands = Array.from({ length: format.bandCount }, () => memory.take(rect.width * rect.height));
      for (const band of bands) band.fill(format.fill ?? 0);
      await Promise.all(
        pieces.map(async ({ source, offset, bytes, blockSize, area }) => {
          const own = { ...format, blockSize };
          const run = { source, offset: offset - LEADER_BYTES, length: bytes + FRAME_BYTES, blockBytes: [bytes] };
          const samples = await decode(own, run);
          const common = intersection(area, rect);
          const from = { ...common, x: common.x - area.x, y: common.y - area.y };
          unpackBlock(own, samples, from, bands, rect.width, { x: common.x - rect.x, y: common.y - rect.y });
          release(samples);
        }),
      );
      return bands;
    },
  };
}

/** @param rows the tiles of each row of windows, with their indices: those of most rows are passed over at once */
function* piecesUnder(
  rows: readonly (readonly (readonly [source: number, tile: Tile])[])[],
  depth: number,
  rect: PixelRect,
): Generator<Piece, void, undefined> {
  for (const tiles of rows) {
    for (const [source, tile] of tiles) {
      const level = tile.index.levels[depth];
      if (level === undefined) continue;
      const left = tile.rect.x / 2 ** depth;
      const top = tile.rect.y / 2 ** depth;
      // All tiles of a row stand at one height.
      if (top >= rect.y + rect.height || top + level.height <= rect.y) break;
      if (left >= rect.x + rect.width || left + level.width <= rect.x) continue;
      const blockSize = level.blockWidth;
      const columns = Math.ceil(level.width / blockSize);
      for (const [block, bytes] of level.blockBytes.entries()) {
        const column = block % columns;
        const inTile = blockRect(level, blockSize, column, (block - column) / columns);
        const area = { ...inTile, x: inTile.x + left, y: inTile.y + top };
        if (bytes === 0 || !overlaps(area, rect)) continue;
        yield { source, offset: level.offsets[block] ?? 0, bytes, blockSize, area };
      }
    }
  }
}

function overlaps(a: PixelRect, b: PixelRect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
