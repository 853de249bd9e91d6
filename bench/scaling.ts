import { REAL_SCENE } from './data.ts';
import type { CodecOptions } from './gdal-commands.ts';
import { type Row, bounded, duration, median } from './ratio.ts';
import { CRS, ourScene } from './scene.ts';

/** Times that a scene with four times the pixels may take of a scene's processor time. */
const MOST = 4.2;
const CODEC: CodecOptions = { compression: 'deflate', level: 6 };

/** Processor time of whole scenes, the larger with twice the side of the smaller. */
export const benchScaling = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const [small, large]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    small.push((await ourScene(REAL_SCENE / 2, CODEC)).cpu);
    large.push((await ourScene(REAL_SCENE, CODEC)).cpu);
  }
  const remark = `${duration(median(small))} and ${duration(median(large))} of processor time; ${rounds} rounds`;
  const what = `scene of ${REAL_SCENE / 2} px and of ${REAL_SCENE} px, ${CRS}, DEFLATE`;
  const times = (ratio: number): string => `${ratio.toFixed(2)} x`;
  return [bounded({ bench: 'scaling', what, remark }, median(large) / median(small), MOST, times)];
};
