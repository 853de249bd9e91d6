import { levelSizes, timesHalved } from '../cog/overview.ts';
import type { RasterSize } from '../types.ts';
import type { LevelBlocks } from './block-table.ts';
import { emptyLevel } from './block-table.ts';
import type { Tile } from './tile-set.ts';

/**
 * The levels of a mosaic with every block settled that can be taken from a tile as it is.
 *
 * A tile's block is the scene's where the window begins on a block boundary of the level and the block ends
 * inside the window or at the scene's edge. On overview levels the pixels must be the same too: they are where the scene was
 * exactly halved that often, since an odd side shifts the overview pixels of the whole scene by fractions of a pixel.
 */
export function levelsOfTiles(tiles: readonly Tile[], scene: RasterSize, blockSize: number): LevelBlocks[] {
  const levels = levelSizes(scene, blockSize).map((size) => emptyLevel(size, blockSize));
  const alike = timesHalved(scene);
  for (const [depth, level] of levels.entries()) {
    if (depth > alike) break;
    for (const [source, tile] of tiles.entries()) copyFromTile(level, depth, tile, source, scene, blockSize);
  }
  // What no tile covers at full resolution is EMPTY.
  levels[0]?.settled.fill(1);
  return levels;
}

function copyFromTile(
  level: LevelBlocks,
  depth: number,
  tile: Tile,
  source: number,
  scene: RasterSize,
  blockSize: number,
): void {
  const own = tile.index.levels[depth];
  // Side of one of the level's blocks, px of the scene.
  const span = blockSize * 2 ** depth;
  const { x, y, width, height } = tile.rect;
  if (own?.blockWidth !== blockSize || x % span !== 0 || y % span !== 0) return;
  const ownColumns = Math.ceil(own.width / blockSize);
  const columns = wholeBlocks(x, width, scene.width, span);
  const rows = wholeBlocks(y, height, scene.height, span);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = row * ownColumns + column;
      const block = (y / span + row) * level.columns + x / span + column;
      level.blockBytes[block] = own.blockBytes[from] ?? 0;
      level.offsets[block] = own.offsets[from] ?? 0;
      level.source[block] = source;
      level.settled[block] = 1;
    }
  }
}

/** How many blocks of `span` px a window holds that does not share them with its neighbour. */
function wholeBlocks(start: number, length: number, sceneLength: number, span: number): number {
  return start + length === sceneLength ? Math.ceil(length / span) : Math.floor(length / span);
}
