import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workFolder } from './data.ts';
import { diskFloor } from './disk-floor.ts';
import { type CodecOptions, FLOAT_CODECS, cogArguments } from './gdal-commands.ts';
import { runAssembleJob } from './job-result.ts';
import { type Cost, measureCommand, sumOfCosts } from './measured.ts';
import { type Row, compare } from './ratio.ts';
import { type TiledScene, tiledScene } from './tiled-scene.ts';

/** 20 x 20 windows of 512 px, or 10 x 10 of 1,024. */
const SCENE = 10_240;
const BARS: readonly (readonly [grid: string, tiles: string, bar: number])[] = [
  ['20x20', '400 tiles of 512 px', 6],
  ['10x10', '100 tiles of 1,024 px', 10],
];

/** A scene's assembly, preview and item included, against a VRT over the same tiles made into a COG; and what of it is the disk's. */
export const benchAssembly = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  const mosaics = new Map<string, string>();
  for (const [grid, tiles, bar] of BARS) {
    for (const codec of FLOAT_CODECS) {
      const scene = await tiledScene(SCENE, { compression: codec.compression, grid });
      const comparison = {
        bench: 'assembly',
        what: `${tiles} of float32, ${codec.compression.toUpperCase()}`,
        bar,
        peerName: 'gdalbuildvrt, gdal_translate',
        ours: () => ourAssembly(scene),
        peer: () => gdalAssembly(scene, codec),
      };
      rows.push(await compare(comparison, { rounds }));
      mosaics.set(codec.compression, scene.mosaic);
    }
  }
  for (const [compression, mosaic] of mosaics) {
    rows.push(
      await diskFloor(
        `the mosaic's bytes alone, hashed, written, flushed, ${compression.toUpperCase()}`,
        mosaic,
        rounds,
      ),
    );
  }
  return rows;
};

/** With the start of a process, as GDAL's commands have it. */
const ourAssembly = async (scene: TiledScene): Promise<Cost> => {
  const { wall, cpu } = (await runAssembleJob(scene)).process;
  return { wall, cpu, bytes: (await stat(scene.mosaic)).size };
};

const gdalAssembly = async ({ out, sceneJobId }: TiledScene, codec: CodecOptions): Promise<Cost> => {
  await using work = await workFolder();
  const folder = join(out, 'tiles', sceneJobId);
  const tiles = (await readdir(folder)).toSorted().map((name) => join(folder, name));
  const [list, vrt, cog] = ['tiles.txt', 'scene.vrt', 'scene.tif'].map((name) => join(work.path, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(list, tiles.join('\n'));
  const built = await measureCommand('gdalbuildvrt', ['-q', '-input_file_list', list, vrt]);
  const overviews = { OVERVIEWS: 'IGNORE_EXISTING' };
  const translated = await measureCommand('gdal_translate', [...cogArguments(codec, overviews), vrt, cog]);
  return { ...sumOfCosts([built, translated]), bytes: (await stat(cog)).size };
};
