import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SourceError } from '../../../lambda/errors.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { fileBytesReader } from '../../support/bytes-reader.ts';
import { describeWith, SHARED_DATA } from '../../support/requirements.ts';

const REASONS: Readonly<Record<string, string>> = {
  'absurd_dimensions.tif': 'lies outside the file',
  'corrupt_lzw.tif': 'not in its table',
  'corrupt_zstd.tif': 'block 0 (20 x 20 px image, column 0, row 0) cannot be decoded',
  'cyclic_ifd_chain.tif': 'the chain of image directories loops',
  'header_only_seek_too_large.tif': 'directory 0 lies outside the file',
  'huge_tile.tif': 'has blocks of 2147483648 x 16 px',
  'huge_tile_byte_count.tif': 'block 0 lies outside the file',
  'png_named_tif.tif': 'it is a PNG image',
  'tile_offset_out_of_file.tif': 'block 0 lies outside the file',
  'truncated_cog_tile.tif': 'block 3 lies outside the file',
  'truncated_first_kb.tif': 'lies outside the file',
  'truncated_strip.tif': 'block 0 lies outside the file',
  'vrt_xml_named_tif.tif': 'it is XML or HTML text',
  'width_above_2_31.tif': 'claims a size of 2147483648 x 1 px',
  'zero_bytes.tif': 'is empty (0 bytes)',
};

describeWith(['shared data'], 'damaged files', () => {
  const folder = join(SHARED_DATA, 'bad');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tif')) : ['none'];

  test.each(names)('%s is refused in one line that names it and the trait', async (name) => {
    const refusal = await openSource(fileBytesReader(join(folder, name)))
      .then((source) => source.readWindow([1], { x: 0, y: 0, width: source.width, height: source.height }, 0))
      .then(() => null)
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SourceError);
    expect(refusal).toHaveProperty('message', expect.stringContaining(REASONS[name] ?? 'a reason in the table above'));
    expect(refusal).toHaveProperty('message', expect.stringMatching(new RegExp(`^${name}[^\\n]+$`)));
  });
});
