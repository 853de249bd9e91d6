import * as z from 'zod';
import { TileonceError } from '../errors.ts';
import { decodeObjectKey } from '../identity/object-key.ts';
import { parseSceneMessage } from '../pipeline/messages.ts';

/** An object that rang. What the event says of its version is not kept: what counts is what is there now. */
export interface Ring {
  readonly bucket: string;
  /** Decoded by its envelope, once, here. */
  readonly key: string;
}

/** A scene-queue message of no envelope that is known: it goes to the dead-letter queue with its context. */
export class EnvelopeError extends TileonceError {}

const eventBridge = z.object({
  source: z.literal('aws.s3'),
  'detail-type': z.string(),
  detail: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: z.string() }) }),
});
const notification = z.object({
  Records: z.array(
    z.object({
      eventSource: z.literal('aws:s3'),
      eventName: z.string(),
      s3: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: z.string() }) }),
    }),
  ),
});
const topic = z.object({ Type: z.literal('Notification'), Message: z.string() });
const test = z.object({ Event: z.literal('s3:TestEvent') });
const own = z.object({ v: z.literal(1), bucket: z.string(), key: z.string() });

/**
 * The objects that a message of the scene queue rings for: EventBridge's events of S3 (plain keys), S3's notifications
 * (URL-encoded keys), either inside an SNS envelope, and our own doorbells. S3's test event, deletions and folder
 * markers ring for nothing.
 *
 * @throws EnvelopeError where the message is none of these.
 */
export const ringsOf = (body: string): readonly Ring[] =>
  ringsIn(parseJson(body), body).filter(({ key }) => !key.endsWith('/'));

const ringsIn = (value: unknown, body: string): readonly Ring[] => {
  const inTopic = topic.safeParse(value);
  if (inTopic.success) return ringsIn(parseJson(inTopic.data.Message), inTopic.data.Message);

  if (test.safeParse(value).success) return [];

  const event = eventBridge.safeParse(value);
  if (event.success) {
    const { detail } = event.data;
    return event.data['detail-type'] === 'Object Created'
      ? [{ bucket: detail.bucket.name, key: decodeObjectKey(detail.object.key, 'plain') }]
      : [];
  }

  const notified = notification.safeParse(value);
  if (notified.success) {
    return notified.data.Records.filter(({ eventName }) => eventName.startsWith('ObjectCreated:')).map(({ s3 }) => ({
      bucket: s3.bucket.name,
      key: decodeKey(s3.object.key),
    }));
  }

  if (own.safeParse(value).success) {
    const { bucket, key } = parseSceneMessage(body);
    return [{ bucket, key }];
  }
  throw new EnvelopeError('a message of the scene queue is in no known envelope', {
    remedy: 'S3 events by EventBridge, S3 notifications, and either through SNS are read',
  });
};

const decodeKey = (raw: string): string => {
  try {
    return decodeObjectKey(raw, 'url-encoded');
  } catch (cause) {
    throw new EnvelopeError(`the object key ${raw} of a notification cannot be decoded`, { cause });
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EnvelopeError('a message of the scene queue is no JSON', { cause });
  }
};
