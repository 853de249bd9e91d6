import { createHash } from 'node:crypto';
import { type Received, type Reply, jsonFailure, jsonReply, rangeReply } from '../../engines/aws/answering-server.ts';
import { z } from 'zod';

/** Names of calls as the price model has them, from requests as services get them. */
export const callOf = ({ method, path, operation }: Received): string => {
  if (operation !== '') return operation;
  const query = new URL(path, 'http://host').searchParams;
  if (method === 'HEAD') return 'HeadObject';
  if (method === 'PUT') return query.has('partNumber') ? 'UploadPart' : 'PutObject';
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  return method === 'GET' ? 'GetObject' : method;
};

const value = z.union([z.object({ S: z.string() }), z.object({ N: z.string() })]);
const item = z.record(z.string(), value);
type Item = z.output<typeof item>;
const dynamoBody = z.object({
  TableName: z.string(),
  Key: item.optional(),
  Item: item.optional(),
  UpdateExpression: z.string().default(''),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: item.default({}),
  Select: z.string().optional(),
});
type DynamoBody = z.output<typeof dynamoBody>;
const sqsBody = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});

const text = (attributes: Item, name: string): string => {
  const found = attributes[name];
  return found !== undefined && 'S' in found ? found.S : '';
};

/**
 * S3, DynamoDB and SQS as far as a scene needs them in which nothing goes wrong: what is written is there, a row is
 * created once, a committed claim is refused. No other condition is looked at: what is asked here is how many calls
 * there are.
 */
export class RequestServer {
  readonly objects = new Map<string, { bytes: Buffer; headers: Record<string, string> }>();
  readonly tables = new Map<string, Map<string, Item>>();
  readonly messages: string[] = [];
  readonly #uploads = new Map<string, { bytes: Map<number, Buffer>; headers: Record<string, string> }>();
  #etags = 0;

  readonly answer = (request: Received): Reply => {
    if (request.operation === 'SendMessageBatch') return this.#send(request);
    return request.operation === '' ? this.#s3(request) : this.#dynamo(request);
  };

  /** DynamoDB's size of each item of a table: names and values, numbers as their digits. Bytes. */
  itemBytes(table: string): number[] {
    return [...(this.tables.get(table)?.values() ?? [])].map((attributes) =>
      Object.entries(attributes).reduce(
        (sum, [name, found]) => sum + name.length + Buffer.byteLength('S' in found ? found.S : found.N),
        0,
      ),
    );
  }

  #send(request: Received): Reply {
    const { Entries } = sqsBody.parse(JSON.parse(request.body.toString()));
    this.messages.push(...Entries.map(({ MessageBody }) => MessageBody));
    return jsonReply({
      Successful: Entries.map(({ Id, MessageBody }) => ({
        Id,
        MessageId: Id,
        MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
      })),
      Failed: [],
    });
  }

  #s3(request: Received): Reply {
    const { pathname, searchParams } = new URL(request.path, 'http://host');
    const key = decodeURIComponent(pathname);
    const stored = this.objects.get(key);
    const call = callOf(request);
    if (call === 'HeadObject' || call === 'GetObject') {
      if (stored === undefined) return { status: 404 };
      const { bytes, headers } = stored;
      if (call === 'HeadObject') return { headers: { ...headers, 'content-length': String(bytes.length) } };
      return request.headers.range === undefined ? { headers, body: bytes } : rangeReply(request, bytes, headers);
    }
    const etag = `"etag-${++this.#etags}"`;
    const digest = request.headers['x-amz-meta-tileonce-digest'];
    const headers = { etag, ...(typeof digest === 'string' ? { 'x-amz-meta-tileonce-digest': digest } : {}) };
    const uploadId = searchParams.get('uploadId') ?? '';
    const upload = this.#uploads.get(uploadId);
    if (call === 'PutObject') this.objects.set(key, { bytes: request.body, headers });
    if (call === 'UploadPart') upload?.bytes.set(Number(searchParams.get('partNumber')), request.body);
    if (call === 'CreateMultipartUpload') {
      this.#uploads.set(key, { bytes: new Map(), headers });
      return { body: `<InitiateMultipartUploadResult><UploadId>${key}</UploadId></InitiateMultipartUploadResult>` };
    }
    if (call === 'CompleteMultipartUpload' && upload !== undefined) {
      const bytes = Buffer.concat([...upload.bytes].toSorted(([a], [b]) => a - b).map(([, part]) => part));
      this.objects.set(key, { bytes, headers: { ...upload.headers, etag } });
      return { body: `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>` };
    }
    return { headers: { etag } };
  }

  #dynamo(request: Received): Reply {
    const body = dynamoBody.parse(JSON.parse(request.body.toString()));
    const table = this.tables.get(body.TableName) ?? new Map<string, Item>();
    this.tables.set(body.TableName, table);
    const place = body.Item ?? body.Key ?? {};
    const key = `${text(place, 'job_id')} ${text(place, 'window')}`;
    const known = table.get(key);
    if (request.operation === 'GetItem') return jsonReply(known === undefined ? {} : { Item: known });
    if (request.operation === 'Query') return this.#query(table, body);
    if (request.operation === 'PutItem') {
      if (known !== undefined) return jsonFailure('ConditionalCheckFailedException');
      table.set(key, place);
      return jsonReply({});
    }
    if (request.operation !== 'UpdateItem') return jsonFailure('ValidationException');
    if (known !== undefined && text(known, 'state') === 'COMMITTED') {
      return jsonFailure('ConditionalCheckFailedException', { Item: known });
    }
    table.set(key, updated(known ?? place, body));
    return jsonReply(known === undefined ? {} : { Attributes: known });
  }

  #query(table: ReadonlyMap<string, Item>, { ExpressionAttributeValues, Select }: DynamoBody): Reply {
    const scene = text(ExpressionAttributeValues, ':scene');
    const rows = [...table.values()].filter((row) => text(row, 'job_id') === scene && text(row, 'window') !== '#plan');
    return jsonReply(Select === 'COUNT' ? { Count: rows.length } : { Items: rows, Count: rows.length });
  }
}

/** `SET #a = :x, #b = if_not_exists(#b, :none) + :one REMOVE #c, #d` applied to an item. */
const updated = (
  before: Item,
  { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues }: DynamoBody,
): Item => {
  const after: Item = { ...before };
  const nameOf = (spelled: string): string => ExpressionAttributeNames[spelled] ?? spelled;
  const [set = '', removed = ''] = UpdateExpression.split('REMOVE');
  for (const [, name = '', given = ''] of set.matchAll(/([#\w]+) = (:\w+)/g)) {
    const assigned = ExpressionAttributeValues[given];
    if (assigned !== undefined) after[nameOf(name)] = assigned;
  }
  for (const [, name = ''] of set.matchAll(/([#\w]+) = if_not_exists/g)) {
    const number = before[nameOf(name)];
    after[nameOf(name)] = { N: String(1 + (number !== undefined && 'N' in number ? Number(number.N) : 0)) };
  }
  for (const name of removed.match(/[#\w]+/g) ?? []) delete after[nameOf(name)];
  return after;
};
