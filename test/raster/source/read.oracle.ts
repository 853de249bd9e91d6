import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import type { RasterSource } from '../../../lambda/raster/source/open-source.ts';
import { fileBytesReader } from '../../support/bytes-reader.ts';
import { differencesFromGdal, dumpByGdal, gdalReport } from '../../support/gdal-dump.ts';
import { describeWith, SHARED_DATA } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Files that are refused, and why that is right. Everything else must read as GDAL reads it. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  // No decoder of these is part of Node, and none in JavaScript equals libjpeg, libwebp or libjxl to the last bit.
  'jpeg_12bit.tif': /12-bit JPEG compression is not read/,
  'jxl_tiled.tif': /JPEG XL compression is not read/,
  'lzma_tiled.tif': /LZMA compression is not read/,
  // Its first row is not its top row: every geotransform would be wrong.
  'orientation_6.tif': /orientation 6/,
  // Two numbers a pixel: no expression is defined over them.
  'complex_int16.tif': /complex samples/,
  // GDAL turns them into RGB; raw ink amounts are no bands that an expression could mean.
  'cmyk.tif': /photometric interpretation 5/,
};

for (const folder of ['odd', 'scenes']) {
  describeWith(['shared data', 'GDAL'], `the rasters of ${folder}`, () => {
    const path = join(SHARED_DATA, folder);
    const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.tif')) : ['none'];
    const out = temporaryFolder();
    beforeAll(() => {
      dumpByGdal(path, out.path);
    }, 120_000);
    afterAll(() => out.remove());

    const readable = names.filter((name) => REFUSED[name] === undefined);
    const refused = names.filter((name) => REFUSED[name] !== undefined);

    test.each(readable)(
      '%s reads as GDAL reads it, pixel for pixel',
      async (name) => {
        const source = await openSource(fileBytesReader(join(path, name)));
        expect(await differencesFromGdal(source, out.path, name)).toEqual([]);
      },
      60_000,
    );

    test.each(readable)('%s lies where GDAL says, or is refused for want of a CRS or geotransform', async (name) => {
      const report = gdalReport(out.path, name);
      const grid = gridOf(await openSource(fileBytesReader(join(path, name))));
      const reason = report.geotransform === null ? /has no geotransform/ : /coordinate reference system|CRS|RPC/;
      const rightly = grid instanceof SourceError && reason.test(grid.message);
      expect(grid instanceof SourceError ? grid.message : grid.geotransform).toEqual(
        rightly ? grid.message : report.geotransform,
      );
    });

    if (refused.length > 0) {
      test.each(refused)('%s is refused for its listed reason', async (name) => {
        await expect(openSource(fileBytesReader(join(path, name)))).rejects.toThrow(REFUSED[name]);
      });
    }
  });
}

function gridOf(source: RasterSource) {
  try {
    return source.grid();
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}
