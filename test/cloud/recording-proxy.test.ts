import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { crashAt, everyMessageTwice, loseMessages, refuseOnce, shortenWaits, withoutPrecondition } from './faults.ts';
import { ConnectionCut, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

const HOST = '127.0.0.1';
const seen: { method: string; url: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
let upstream: Server;
let proxy: RecordingProxy;

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, HOST, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

beforeEach(async () => {
  seen.length = 0;
  upstream = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(201, { etag: '"e"' }).end('{"Successful":[]}');
    });
  });
  const port = await listening(upstream);
  const free = createServer();
  const own = await listening(free);
  await new Promise((resolve) => free.close(resolve));
  proxy = await startRecordingProxy({ host: HOST, port: own, upstream: { host: HOST, port } });
});

afterEach(async () => {
  await proxy.stop();
  await new Promise((resolve) => upstream.close(resolve));
});

const fromTile = { 'user-agent': 'aws-sdk-js/3 app/tileonce-tile-PT-NO-OP' };
const sending = (bodies: readonly string[]): RequestInit => ({
  method: 'POST',
  headers: { ...fromTile, 'x-amz-target': 'AmazonSQS.SendMessageBatch' },
  body: JSON.stringify({
    QueueUrl: 'q',
    Entries: bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody })),
  }),
});

describe('the recording proxy', () => {
  it('passes calls on as they are, and writes down who made them and what came back', async () => {
    const answer = await fetch(`${proxy.url}/b/a%20b.tif?x-id=PutObject`, {
      method: 'PUT',
      headers: { ...fromTile, 'if-none-match': '*' },
      body: 'pixels',
    });
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([201, '"e"', '{"Successful":[]}']);
    expect(seen).toMatchObject([
      { method: 'PUT', url: '/b/a%20b.tif?x-id=PutObject', body: 'pixels', headers: { 'if-none-match': '*' } },
    ]);
    expect(proxy.calls).toMatchObject([{ caller: 'tile', method: 'PUT', path: '/b/a%20b.tif', status: 201 }]);
  });

  it('names no caller where the user agent names no function', async () => {
    await fetch(proxy.url, { headers: { 'user-agent': 'app/tileonce-tiler' } });
    expect(proxy.calls.map(({ caller }) => caller)).toEqual([null]);
  });
});

describe('a fault', () => {
  it('sends every message of a function twice', async () => {
    using _fault = proxy.intercept(everyMessageTwice);
    await fetch(proxy.url, sending(['a']));
    expect(seen).toHaveLength(2);
  });

  it('loses the messages that are meant, and confirms them', async () => {
    using _fault = proxy.intercept(loseMessages((_caller, body) => body === 'b'));
    const answer = await fetch(proxy.url, sending(['a', 'b']));
    expect(seen.map(({ body }) => body.includes('"b"'))).toEqual([false]);
    expect(await answer.json()).toMatchObject({ Successful: [{ Id: '1', MessageId: 'lost' }] });
  });

  it('refuses one call with a 409, and the next one not', async () => {
    using _fault = proxy.intercept(refuseOnce(({ method }) => method === 'POST'));
    const statuses = [await fetch(proxy.url, { method: 'POST' }), await fetch(proxy.url, { method: 'POST' })];
    expect(statuses.map(({ status }) => status)).toEqual([409, 201]);
  });

  it('cuts the connection in the middle of a reply, or before it', async () => {
    using _fault = proxy.intercept(async ({ path }, forward) => {
      if (path === '/silent') throw new ConnectionCut('silent');
      return { ...(await forward()), cutAfter: 5 };
    });
    await expect(fetch(`${proxy.url}/silent`)).rejects.toThrow('fetch failed');
    const answer = await fetch(`${proxy.url}/half`);
    expect(answer.status).toBe(201);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(seen.map(({ url }) => url)).toEqual(['/half']);
  });

  it('shortens long waits, and leaves the others as they are', async () => {
    using _fault = proxy.intercept(shortenWaits(70, 2));
    for (const VisibilityTimeout of [70, 14_400, 60]) {
      await fetch(proxy.url, {
        method: 'POST',
        headers: { ...fromTile, 'x-amz-target': 'AmazonSQS.ChangeMessageVisibility' },
        body: JSON.stringify({ QueueUrl: 'q', VisibilityTimeout }),
      });
    }
    expect(seen.map(({ body }): unknown => JSON.parse(body))).toMatchObject(
      [2, 2, 60].map((VisibilityTimeout) => ({ QueueUrl: 'q', VisibilityTimeout })),
    );
  });

  it('takes the precondition out of a write', async () => {
    using _fault = proxy.intercept(withoutPrecondition(() => true));
    await fetch(proxy.url, { method: 'PUT', headers: { 'if-none-match': '*' }, body: 'x' });
    expect(seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined]);
    // What is recorded is what the function sent.
    expect(proxy.calls.map(({ headers }) => headers['if-none-match'])).toEqual(['*']);
  });

  it('kills once at a point, after the call was carried out', async () => {
    const killed: number[] = [];
    const point = {
      name: 'put',
      caller: 'tile',
      isReached: ({ method }: { method: string }) => method === 'PUT',
    } as const;
    const crash = crashAt([point], () => void killed.push(seen.length));
    using _fault = proxy.intercept(crash.interceptor);
    for (let i = 0; i < 2; i++) await fetch(proxy.url, { method: 'PUT', headers: fromTile, body: 'x' });
    expect([killed, crash.reached]).toEqual([[1], ['put']]);
  });
});
