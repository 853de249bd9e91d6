import { expect, it } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { scenesWithNewRows } from '../../lambda/count/new-rows.ts';

const record = (
  scene: string,
  window: string,
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT',
): DynamoDBRecord => ({
  eventName,
  dynamodb: { Keys: { job_id: { S: scene }, window: { S: window } } },
});

it('counts each scene of a batch once, for its new rows alone', () => {
  const scenes = scenesWithNewRows({
    Records: [
      record('a', '0000_0000'),
      record('a', '0000_0001'),
      record('b', '0000_0000'),
      record('plan', '#plan'),
      record('changed', '0000_0000', 'MODIFY'),
      record('gone', '0000_0000', 'REMOVE'),
      { eventName: 'INSERT' },
    ],
  });
  expect([...scenes]).toEqual(['a', 'b']);
});
