import { describe, expect, it } from '@jest/globals';
import { EnvelopeError, ringsOf } from '../../lambda/fan-out/envelope.ts';
import { messageBody } from '../../lambda/pipeline/messages.ts';
import { smallPipeline } from '../support/scene-world.ts';

const byEventBridge = (key: string, type = 'Object Created'): string =>
  JSON.stringify({ source: 'aws.s3', 'detail-type': type, detail: { bucket: { name: 'scenes' }, object: { key } } });

const byNotification = (key: string, eventName = 'ObjectCreated:Put'): string =>
  JSON.stringify({
    Records: [{ eventSource: 'aws:s3', eventName, s3: { bucket: { name: 'scenes' }, object: { key } } }],
  });

const bySns = (body: string): string => JSON.stringify({ Type: 'Notification', TopicArn: 'arn', Message: body });

const keys = ['L2A/a b.tif', 'L2A/a+b.tif', 'L2A/100%.tif', 'L2A/%2B.tif', 'L2A/é.tif', 'L2A/e\u0301.tif'];

describe('an upload that is announced twice', () => {
  it.each(keys)('is one key by EventBridge and by notification, SNS or not: %s', (key) => {
    const encoded = encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');
    const expected = [{ bucket: 'scenes', key }];
    expect(ringsOf(byEventBridge(key))).toEqual(expected);
    expect(ringsOf(byNotification(encoded))).toEqual(expected);
    expect(ringsOf(bySns(byEventBridge(key)))).toEqual(expected);
    expect(ringsOf(bySns(byNotification(encoded)))).toEqual(expected);
  });
});

describe('what rings for nothing', () => {
  it.each([
    ["S3's test event", JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'scenes' })],
    ['the same through SNS', bySns(JSON.stringify({ Event: 's3:TestEvent' }))],
    ['a deletion by EventBridge', byEventBridge('a.tif', 'Object Deleted')],
    ['a deletion by notification', byNotification('a.tif', 'ObjectRemoved:Delete')],
    ['a folder marker', byEventBridge('L2A/T31UDQ/')],
    ['a notification of nothing', JSON.stringify({ Records: [] })],
  ])('%s', (_, body) => {
    expect(ringsOf(body)).toEqual([]);
  });
});

it('our own doorbell rings for its object', () => {
  const body = messageBody({ v: 1, bucket: 'scenes', key: 'a+b.tif', location: '', pipeline: smallPipeline() });
  expect(ringsOf(body)).toEqual([{ bucket: 'scenes', key: 'a+b.tif' }]);
});

describe('a message that is none of these', () => {
  it.each([
    ['no JSON', 'hello'],
    ['another event', JSON.stringify({ source: 'aws.ec2', 'detail-type': 'x', detail: {} })],
    [
      'a truncated notification',
      JSON.stringify({ Records: [{ eventSource: 'aws:s3', eventName: 'ObjectCreated:Put' }] }),
    ],
    ['a key that cannot be decoded', byNotification('a%E0%A4%A.tif')],
    ['SNS around no JSON', bySns('hello')],
  ])('is refused, so that it ends in the dead-letter queue: %s', (_, body) => {
    expect(() => ringsOf(body)).toThrow(EnvelopeError);
  });
});
