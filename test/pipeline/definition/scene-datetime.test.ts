import { describe, expect, it } from '@jest/globals';
import { sceneDatetime } from '../../../lambda/pipeline/definition/scene-datetime.ts';

const uploaded = new Date('2026-11-29T12:34:56.789Z');
const of = (key: string, pattern: string | null = null, tiffDateTime: string | null = null): string => {
  const { datetime, source } = sceneDatetime({ key, pattern, tiffDateTime, uploaded });
  return `${datetime} ${source}`;
};

describe("a scene's time", () => {
  it.each([
    ['S2A_29RKH_20200219_0_L2A_B04.tif', '2020-02-19T00:00:00Z'],
    ['S2A_29RKH_20200219_0_L2A/B04.tif', '2020-02-19T00:00:00Z'],
    ['T31UDQ_20200219T113321_B04_10m.tif', '2020-02-19T11:33:21Z'],
    ['scene-2020-02-19.tif', '2020-02-19T00:00:00Z'],
    ['2020-02-19T11:33:21Z.tif', '2020-02-19T11:33:21Z'],
    ['MYD13A1.A2020153.h30v10.006.2020170024036_RR_B04.TIF', '2020-06-01T00:00:00Z'],
    ['LC08_L2SP_008059_20191201_20200825_02_T1_SR_B4.TIF', '2019-12-01T00:00:00Z'],
    ['20190101/x_20200219.tif', '2020-02-19T00:00:00Z'],
    ['99999999_20209919_20200219.tif', '2020-02-19T00:00:00Z'],
    ['20200229.tif', '2020-02-29T00:00:00Z'],
  ])('is read from %s', (key, datetime) => {
    expect(of(key)).toBe(`${datetime} name`);
  });

  it.each(['B04.tif', '20210229.tif', '00008059.tif', 'x123456789012.tif', 'A2019366.tif', '20200219T256199.tif'])(
    'is not guessed from %s',
    (key) => {
      expect(of(key)).toBe('2026-11-29T12:34:56Z upload');
    },
  );

  it('is that of the TIFF tag where the name has none', () => {
    expect(of('B04.tif', null, '2020:02:19 11:33:21')).toBe('2020-02-19T11:33:21Z tiff');
    expect(of('B04.tif', null, '0000:00:00 00:00:00')).toBe('2026-11-29T12:34:56Z upload');
  });

  it("is where the pipeline's pattern finds it", () => {
    const key = '20190101_x_made20200219.tif';
    expect(of(key, String.raw`made(\d{8})`)).toBe('2020-02-19T00:00:00Z name');
    expect(of(key, String.raw`\d{8}(?=\.tif)`)).toBe('2020-02-19T00:00:00Z name');
    expect(of(key, 'nothing', '2018:01:02 03:04:05')).toBe('2018-01-02T03:04:05Z tiff');
  });
});
