import type { DynamoDBStreamEvent } from 'aws-lambda';
import { readCountEnvironment } from '../environment.ts';
import { parseSceneJobId } from '../identity/job-key.ts';
import { countScene } from '../pipeline/count-scene.ts';
import { lambdaRuntime } from '../serverless/runtime.ts';
import { scenesWithNewRows } from './new-rows.ts';

const { context, telemetry } = lambdaRuntime(readCountEnvironment(process.env));

/**
 * New manifest rows: each scene that has some is counted, consistently, and sent to assembly where none is missing.
 * Fails as a whole: a count that is repeated changes nothing.
 */
export const handler = async (event: DynamoDBStreamEvent): Promise<void> => {
  try {
    for (const text of scenesWithNewRows(event)) {
      const sceneJobId = parseSceneJobId(text);
      const record = sceneJobId === null ? null : await context.manifest.getPlan(sceneJobId);
      if (sceneJobId === null || record?.state !== 'OPEN') continue;
      const rows = await countScene(context, { sceneJobId, windowCount: record.windowCount, location: '' });
      telemetry.event('info', 'Scene:Count:Done', { sceneJobId, rows, windows: record.windowCount });
    }
  } finally {
    telemetry.flush();
  }
};
