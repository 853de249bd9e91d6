import { type IncomingHttpHeaders, type IncomingMessage, createServer, request } from 'node:http';
import { FUNCTIONS, type FunctionName } from '../../lambda/environment.ts';
import { callerId } from '../../lib/environment.ts';

/** One call that a client of the endpoint made. */
export interface ProxiedCall {
  /** The function that made it, as its user agent says (`app/tileonce-tile`); null for anyone else. */
  readonly caller: FunctionName | null;
  /** The port that it came from. */
  readonly port: number;
  readonly method: string;
  /** Path, still encoded, and query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ProxiedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Bytes of the body after which the connection is cut; absent where the whole body is sent. */
  readonly cutAfter?: number;
}

/** Thrown by an interceptor where the caller is to see an endpoint that went away: no reply, the connection cut. */
export class ConnectionCut extends Error {}

/** A call with what the endpoint answered. */
export interface RecordedCall extends ProxiedCall {
  readonly status: number;
}

/** Passes a call on, changed or not, and answers it, changed or not. */
export type Interceptor = (
  call: ProxiedCall,
  forward: (changed?: Partial<Pick<ProxiedCall, 'headers' | 'body'>>) => Promise<ProxiedReply>,
) => Promise<ProxiedReply>;

/** What stands between functions and the endpoint: writes every call down, and spoils some on request. */
export interface RecordingProxy {
  readonly url: string;
  /** Every answered call so far, oldest first. */
  readonly calls: readonly RecordedCall[];
  /** The first one wraps all later ones; each sees every call. */
  intercept(interceptor: Interceptor): Disposable;
  stop(): Promise<void>;
}

export interface RecordingProxyOptions {
  readonly host: string;
  readonly port: number;
  /** The endpoint's own address. */
  readonly upstream: { readonly host: string; readonly port: number };
}

/** Starts the proxy. @throws Error where the address cannot be listened on. */
export const startRecordingProxy = async ({ host, port, upstream }: RecordingProxyOptions): Promise<RecordingProxy> => {
  const calls: RecordedCall[] = [];
  const interceptors: Interceptor[] = [];
  const answer = async (call: ProxiedCall): Promise<ProxiedReply> => {
    const send = (at: number, now: ProxiedCall): Promise<ProxiedReply> => {
      const interceptor = interceptors[at];
      if (interceptor === undefined) return passOn(upstream, now);
      return interceptor(now, (changed) => send(at + 1, { ...now, ...changed }));
    };
    const reply = await send(0, call);
    calls.push({ ...call, body: kept(call), status: reply.status });
    return reply;
  };
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      try {
        const reply = await answer(await callOf(incoming));
        outgoing.writeHead(reply.status, { ...reply.headers });
        if (reply.cutAfter === undefined) outgoing.end(reply.body);
        else outgoing.write(reply.body.subarray(0, reply.cutAfter), () => incoming.socket.destroy());
      } catch {
        // What the client would see of an endpoint that went away.
        incoming.socket.destroy();
      }
    })();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host}:${port}`,
    calls,
    intercept: (interceptor) => {
      interceptors.push(interceptor);
      return { [Symbol.dispose]: () => void interceptors.splice(interceptors.indexOf(interceptor), 1) };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** Bodies of objects are not looked at afterwards. */
const kept = ({ headers, body }: ProxiedCall): Buffer =>
  headers['x-amz-target'] === undefined ? Buffer.alloc(0) : body;

const callOf = async (incoming: IncomingMessage): Promise<ProxiedCall> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const [path = '', query = ''] = (incoming.url ?? '').split('?');
  return {
    caller: callerOf(incoming.headers['user-agent'] ?? ''),
    port: incoming.socket.remotePort ?? 0,
    method: incoming.method ?? '',
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
};

/** Powertools adds to the name, after a slash. */
const callerOf = (userAgent: string): FunctionName | null =>
  FUNCTIONS.find((name) => new RegExp(`\\bapp/${callerId(name)}(?![a-z])`, 'u').test(userAgent)) ?? null;

/** The reply as it came. `expect` was answered here, and the length is the body's own. */
const passOn = (upstream: { host: string; port: number }, call: ProxiedCall): Promise<ProxiedReply> =>
  new Promise((resolve, reject) => {
    const { expect: _expect, 'transfer-encoding': _encoding, connection: _connection, ...headers } = call.headers;
    const query = call.query.size === 0 ? '' : `?${rawQuery(call.query)}`;
    const outgoing = request(
      {
        ...upstream,
        method: call.method,
        path: `${call.path}${query}`,
        headers: { ...headers, 'content-length': String(call.body.length) },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const { 'transfer-encoding': _chunked, connection: _kept, ...replied } = incoming.headers;
          resolve({ status: incoming.statusCode ?? 502, headers: replied, body: Buffer.concat(chunks) });
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(call.body);
  });

const rawQuery = (query: URLSearchParams): string =>
  [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
