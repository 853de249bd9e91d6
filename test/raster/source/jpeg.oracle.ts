import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { fileBytesReader } from '../../support/bytes-reader.ts';
import { differencesFromGdal, dumpByGdal } from '../../support/gdal-dump.ts';
import { jpegStream } from '../../support/jpeg-stream.ts';
import { describeWith } from '../../support/requirements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { buildTiff, GEOREFERENCE, imageTags, short } from '../../support/tiff-builder.ts';
import { seeded } from '../../local/random.ts';

/** Luminance's sampling factors; the colour differences have one sample where it has this many. */
const SAMPLINGS = [
  [1, 1],
  [2, 1],
  [1, 2],
  [2, 2],
  [4, 1],
  [4, 2],
  [2, 4],
] as const;
const SIZES = [
  [1, 1],
  [3, 2],
  [4, 9],
  [5, 3],
  [16, 16],
  [17, 33],
  [49, 31],
  [100, 65],
] as const;
const FILES = SAMPLINGS.flatMap(([across, down]) =>
  SIZES.flatMap(([width, height]) =>
    [
      { restartInterval: 0, separateScans: false },
      { restartInterval: 3, separateScans: false },
      { restartInterval: 2, separateScans: true },
    ].map((coding) => {
      const name = `${across}x${down} of ${width}x${height}, ${coding.separateScans ? 'scans apart' : coding.restartInterval}.tif`;
      return { ...coding, name, across, down, width, height };
    }),
  ),
);

describeWith(['GDAL'], 'JPEG blocks whose colours have fewer samples than their brightness', () => {
  const folder = temporaryFolder();
  const written = join(folder.path, 'written');
  const dumped = join(folder.path, 'dumped');
  beforeAll(() => {
    mkdirSync(written);
    for (const [seed, { name, across, down, ...stream }] of FILES.entries()) {
      const factors = [
        [across, down],
        [1, 1],
        [1, 1],
      ] as const;
      const tags = { ...imageTags(stream.width, stream.height, 8, 3), ...GEOREFERENCE, 259: short(7), 262: short(6) };
      const block = jpegStream({ ...stream, factors, random: seeded(seed) });
      const tiff = buildTiff([{ tags: { ...tags, 530: short(across, down) }, blocks: [block] }]);
      writeFileSync(join(written, name), tiff);
    }
    dumpByGdal(written, dumped);
  }, 120_000);
  afterAll(() => folder.remove());

  test.each(FILES.map(({ name }) => name))('%s are read as GDAL reads them, to the last bit', async (name) => {
    const source = await openSource(fileBytesReader(join(written, name)));
    expect(await differencesFromGdal(source, dumped, name)).toEqual([]);
  });
});
