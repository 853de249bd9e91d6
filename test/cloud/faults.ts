import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FunctionName } from '../../lambda/environment.ts';
import type { Interceptor, ProxiedCall, ProxiedReply } from './recording-proxy.ts';

const batch = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.looseObject({ Id: z.string(), MessageBody: z.string() })),
});
const batchReply = z.looseObject({ Successful: z.array(z.looseObject({ Id: z.string() })).default([]) });

/** The messages that a call sends; null where it is no sending. */
export const sentBy = (call: ProxiedCall): z.infer<typeof batch> | null =>
  call.headers['x-amz-target'] === 'AmazonSQS.SendMessageBatch'
    ? batch.parse(JSON.parse(call.body.toString('utf8')))
    : null;

/** True for a DynamoDB call of this operation whose text holds `text`. */
export const isItemCall = ({ headers, body }: ProxiedCall, operation: string, text: string): boolean =>
  headers['x-amz-target'] === `DynamoDB_20120810.${operation}` && body.includes(text);

/** True for a PUT of a whole object whose path holds `text`. */
export const isObjectWrite = ({ method, path, query }: ProxiedCall, text: string): boolean =>
  method === 'PUT' && path.includes(text) && !query.has('partNumber');

/** True for the completion of a multipart upload of this object. */
export const isUploadCompletion = ({ method, path, query }: ProxiedCall, key: string): boolean =>
  method === 'POST' && path.endsWith(key) && query.has('uploadId');

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const replied = (reply: ProxiedReply, body: Buffer): ProxiedReply => {
  // The checksum is of the body that was replaced.
  const { 'x-amz-crc32': _crc, ...headers } = reply.headers;
  return { status: reply.status, headers: { ...headers, 'content-length': String(body.length) }, body };
};

/** At-least-once at its worst: every message that a function sends arrives twice. */
export const everyMessageTwice: Interceptor = async (call, forward) => {
  const reply = await forward();
  if (call.caller !== null && sentBy(call) !== null) await forward();
  return reply;
};

/** Confirms messages and loses them. */
export const loseMessages =
  (isLost: (caller: FunctionName, body: string) => boolean): Interceptor =>
  async (call, forward) => {
    const { caller } = call;
    const sent = sentBy(call);
    if (sent === null || caller === null) return forward();
    const lost = sent.Entries.filter(({ MessageBody: body }) => isLost(caller, body));
    if (lost.length === 0) return forward();
    const others = sent.Entries.filter((entry) => !lost.includes(entry));
    const confirmed = lost.map(({ Id, MessageBody: body }) => ({
      Id,
      MessageId: 'lost',
      MD5OfMessageBody: createHash('md5').update(body).digest('hex'),
    }));
    if (others.length === 0) {
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return replied({ status: 200, headers, body: Buffer.alloc(0) }, json({ Successful: confirmed, Failed: [] }));
    }
    const reply = await forward({ body: json({ ...sent, Entries: others }) });
    const told = batchReply.parse(JSON.parse(reply.body.toString('utf8')));
    return replied(reply, json({ ...told, Successful: [...told.Successful, ...confirmed] }));
  };

/** Changes the messages that a function sends. */
export const changeMessages =
  (change: (caller: FunctionName, body: string) => string): Interceptor =>
  async (call, forward) => {
    const { caller } = call;
    const sent = sentBy(call);
    if (sent === null || caller === null) return forward();
    const changed = sent.Entries.map((entry) => ({ ...entry, MessageBody: change(caller, entry.MessageBody) }));
    const reply = await forward({ body: json({ ...sent, Entries: changed }) });
    // The sender compares digests of what it sent.
    const told = batchReply.parse(JSON.parse(reply.body.toString('utf8')));
    const own = new Map(sent.Entries.map(({ Id, MessageBody: body }) => [Id, body]));
    const restored = told.Successful.map((entry) => ({
      ...entry,
      MD5OfMessageBody: createHash('md5')
        .update(own.get(entry.Id) ?? '')
        .digest('hex'),
    }));
    return replied(reply, json({ ...told, Successful: restored }));
  };

/** Changes the text of the first reply to a call that is meant. */
export const changeReplyOnce = (
  isMeant: (call: ProxiedCall) => boolean,
  change: (text: string) => string,
): Interceptor => {
  let done = false;
  return async (call, forward) => {
    if (done || !isMeant(call)) return forward();
    done = true;
    const reply = await forward();
    return replied(reply, Buffer.from(change(reply.body.toString('utf8'))));
  };
};

/** S3's 409, which no emulator gives: refused once, without being passed on. */
export const refuseOnce = (isMeant: (call: ProxiedCall) => boolean): Interceptor => {
  let done = false;
  return async (call, forward) => {
    if (done || !isMeant(call)) return forward();
    done = true;
    const text = '<?xml version="1.0"?><Error><Code>ConditionalRequestConflict</Code><Message>again</Message></Error>';
    const body = Buffer.from(text);
    return replied({ status: 409, headers: { 'content-type': 'application/xml' }, body }, body);
  };
};

const hiding = z.looseObject({ VisibilityTimeout: z.number() });

/** Time that flies: a function that hides a message for `longS` or longer hides it for `shortS`, in seconds. */
export const shortenWaits =
  (longS: number, shortS: number): Interceptor =>
  (call, forward) => {
    if (call.caller === null || call.headers['x-amz-target'] !== 'AmazonSQS.ChangeMessageVisibility') return forward();
    const asked = hiding.parse(JSON.parse(call.body.toString('utf8')));
    if (asked.VisibilityTimeout < longS) return forward();
    return forward({ body: json({ ...asked, VisibilityTimeout: shortS }) });
  };

/** A writer without its precondition: the header is removed on the way. */
export const withoutPrecondition =
  (isMeant: (call: ProxiedCall) => boolean): Interceptor =>
  (call, forward) => {
    if (!isMeant(call)) return forward();
    const { 'if-none-match': _condition, ...headers } = call.headers;
    return forward({ headers });
  };

/** A moment at which a function's workers die: the call is carried out, its reply never arrives. */
export interface CrashPoint {
  readonly name: string;
  readonly caller: FunctionName;
  readonly isReached: (call: ProxiedCall) => boolean;
}

/** Kills at each point once, in any order. @returns the names of the points that were reached, growing. */
export const crashAt = (
  points: readonly CrashPoint[],
  kill: (caller: FunctionName) => void,
): { readonly interceptor: Interceptor; readonly reached: readonly string[] } => {
  const open = new Set(points);
  const reached: string[] = [];
  const interceptor: Interceptor = async (call, forward) => {
    const point = [...open].find(({ caller, isReached }) => caller === call.caller && isReached(call));
    if (point === undefined) return forward();
    open.delete(point);
    reached.push(point.name);
    const reply = await forward();
    kill(point.caller);
    return reply;
  };
  return { interceptor, reached };
};
