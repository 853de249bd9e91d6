import type { DynamoDBStreamEvent } from 'aws-lambda';

/** Windows are named by their row and column; what else stands in the table (`#plan`) is no row. */
const WINDOW = /^\d/;

/** The scenes that a batch of the manifest's stream brought new rows of, each once. */
export const scenesWithNewRows = (event: DynamoDBStreamEvent): Set<string> => {
  const scenes = new Set<string>();
  for (const { eventName, dynamodb } of event.Records) {
    const scene = dynamodb?.Keys?.['job_id']?.S;
    const window = dynamodb?.Keys?.['window']?.S;
    if (eventName === 'INSERT' && scene !== undefined && window !== undefined && WINDOW.test(window)) scenes.add(scene);
  }
  return scenes;
};
