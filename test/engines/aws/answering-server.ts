import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';

/** A request as the server got it. */
export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Operation of a JSON protocol (DynamoDB, SQS), for instance `UpdateItem`; else empty. */
  readonly operation: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The connection breaks before the reply, or in the middle of its body. */
  readonly lost?: 'whole' | 'half';
}

export interface AnsweringServer extends AsyncDisposable {
  readonly endpoint: string;
  /** Every request so far, oldest first. */
  readonly received: readonly Received[];
}

/** A web server on this machine that answers by a function: what a store could say, and how it could fail. */
export const answeringServer = async (answer: (request: Received, nth: number) => Reply): Promise<AnsweringServer> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const target = request.headers['x-amz-target'];
      const call: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
        operation: typeof target === 'string' ? (target.split('.').at(-1) ?? '') : '',
      };
      send(response, answer(call, received.push(call)));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const send = (response: ServerResponse, { status = 200, headers = {}, body = '', lost }: Reply): void => {
  if (lost === 'whole') {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-length': String(bytes.length), ...headers });
  if (lost === 'half') {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    return;
  }
  response.end(bytes);
};

/** A failure as the JSON protocols tell it. */
export const jsonFailure = (name: string, members: Readonly<Record<string, unknown>> = {}, status = 400): Reply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: `com.amazonaws#${name}`, message: `${name} happened`, ...members }),
});

export const jsonReply = (value: unknown): Reply => ({
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(value),
});

/** A failure as S3 tells it; nameless: a status and nothing else, as some replies arrive. */
export const s3Failure = (status: number, code: string | null): Reply =>
  code === null
    ? { status }
    : { status, body: `<Error><Code>${code}</Code><Message>${code} happened</Message></Error>` };

/** The range of a request for a part of `whole`, answered as S3 and web servers do. */
export const rangeReply = (request: Received, whole: Uint8Array, headers: Readonly<Record<string, string>>): Reply => {
  const [, first = '0', last = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const body = whole.subarray(Number(first), Number(last) + 1);
  return {
    status: 206,
    headers: { 'content-range': `bytes ${first}-${last}/${whole.length}`, ...headers },
    body,
  };
};
