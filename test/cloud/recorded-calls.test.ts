import { describe, expect, it } from '@jest/globals';
import { UnknownCallError, isUnconditionalWrite, neededBy } from './recorded-calls.ts';
import type { RecordedCall } from './recording-proxy.ts';

const names = {
  claims: 'claims-1',
  manifest: 'manifest-1',
  sourceBucket: 'in',
  outputBucket: 'out',
  sourcePrefix: 'scenes/',
  queues: { sceneQueue: 'http://q/scenes', tileQueue: 'http://q/tiles', assemblyQueue: 'http://q/assemblies' },
};

const call = (method: string, path: string, rest: Partial<RecordedCall> = {}): RecordedCall => {
  const [bare = '', query = ''] = path.split('?');
  const empty = { caller: 'tile', port: 0, headers: {}, body: Buffer.alloc(0), status: 200 } as const;
  return { ...empty, method, path: bare, query: new URLSearchParams(query), ...rest };
};
const rpc = (target: string, body: object): RecordedCall =>
  call('POST', '/', { headers: { 'x-amz-target': target }, body: Buffer.from(JSON.stringify(body)) });

describe('a recorded call needs', () => {
  it.each([
    ['GET', '/in/scenes/a%20b.tif', 's3:GetObject', 'sourceObjects'],
    ['GET', '/in/scenes/a.tif?versionId=7', 's3:GetObjectVersion', 'sourceObjects'],
    ['HEAD', '/out/tiles/j/0000_0000.tif', 's3:GetObject', 'tileObjects'],
    ['PUT', '/out/tiles/j/0000_0000.tif', 's3:PutObject', 'tileObjects'],
    ['POST', '/out/scenes/j/scene.tif?uploads', 's3:PutObject', 'sceneObjects'],
    ['PUT', '/out/scenes/j/scene.tif?partNumber=1&uploadId=u', 's3:PutObject', 'sceneObjects'],
    ['DELETE', '/out/scenes/j/scene.tif?uploadId=u', 's3:AbortMultipartUpload', 'sceneObjects'],
    ['DELETE', '/out/scenes/j/scene.tif', 's3:DeleteObject', 'sceneObjects'],
    ['GET', '/out?list-type=2', 's3:ListBucket', 'outputBucket'],
  ])('%s %s: %s', (method, path, action, on) => {
    expect(neededBy(call(method, path), names)).toEqual([{ action, on }]);
  });

  it('the right to list, where it is to learn of an absent object by 404', () => {
    expect(neededBy(call('HEAD', '/in/scenes/a.tif', { status: 404 }), names)).toEqual([
      { action: 's3:GetObject', on: 'sourceObjects' },
      { action: 's3:ListBucket', on: 'sourceBucket' },
    ]);
  });

  it('what its target says, on the table or the queue in its body', () => {
    expect(neededBy(rpc('DynamoDB_20120810.UpdateItem', { TableName: 'claims-1' }), names)).toEqual([
      { action: 'dynamodb:UpdateItem', on: 'claims' },
    ]);
    expect(
      neededBy(rpc('DynamoDB_20120810.Scan', { TableName: 'manifest-1', IndexName: 'unfinished' }), names),
    ).toEqual([{ action: 'dynamodb:Scan', on: 'unfinishedPlans' }]);
    expect(neededBy(rpc('AmazonSQS.SendMessageBatch', { QueueUrl: 'http://q/tiles' }), names)).toEqual([
      { action: 'sqs:SendMessage', on: 'tileQueue' },
    ]);
  });

  it('a grant that there is not, where it is about something else', () => {
    expect(() => neededBy(call('GET', '/other/key'), names)).toThrow(UnknownCallError);
    expect(() => neededBy(call('GET', '/in/elsewhere/a.tif'), names)).toThrow(UnknownCallError);
    expect(() => neededBy(rpc('DynamoDB_20120810.GetItem', { TableName: 'x' }), names)).toThrow(UnknownCallError);
    const ofClaims = { TableName: 'claims-1', IndexName: 'unfinished' };
    expect(() => neededBy(rpc('DynamoDB_20120810.Scan', ofClaims), names)).toThrow(UnknownCallError);
    expect(() => neededBy(rpc('Logs.PutLogEvents', {}), names)).toThrow(UnknownCallError);
  });
});

describe('a write is unconditional', () => {
  it.each([
    ['PUT', '/out/tiles/j/a.tif', {}, true],
    ['PUT', '/out/tiles/j/a.tif', { 'if-none-match': '*' }, false],
    ['PUT', '/out/tiles/j/a.tif', { 'if-match': '"e"' }, false],
    ['POST', '/out/scenes/j/scene.tif?uploadId=u', {}, true],
    ['POST', '/out/scenes/j/scene.tif?uploadId=u', { 'if-none-match': '*' }, false],
    ['PUT', '/out/scenes/j/scene.tif?partNumber=1&uploadId=u', {}, false],
    ['POST', '/out/scenes/j/scene.tif?uploads=', {}, false],
    ['GET', '/out/tiles/j/a.tif', {}, false],
  ])('%s %s with %j: %s', (method, path, headers, is) => {
    expect(isUnconditionalWrite(call(method, path, { headers }))).toBe(is);
  });
});
