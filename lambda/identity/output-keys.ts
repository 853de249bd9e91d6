import { type SceneJobId, windowName } from './job-key.ts';

/** Where outputs stand: pure functions of the identities, nothing else may enter a path. */
export const tileKey = (scene: SceneJobId, window: { row: number; column: number }): string =>
  `tiles/${scene}/${windowName(window)}.tif`;
export const mosaicKey = (scene: SceneJobId): string => `scenes/${scene}/scene.tif`;
export const itemKey = (scene: SceneJobId): string => `scenes/${scene}/item.json`;
export const previewKey = (scene: SceneJobId): string => `scenes/${scene}/preview.png`;

/** True for a key that an output could have: a trigger must never match one, or scenes would beget scenes. */
export const isOutputKey = (key: string): boolean => /^(tiles|scenes)\/[0-9a-f]{64}\//.test(key);
