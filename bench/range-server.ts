import { createReadStream, statSync } from 'node:fs';
import { type Server, createServer } from 'node:http';

/** What a server was asked for. */
export interface RangeServer extends AsyncDisposable {
  readonly url: string;
  /** Requests so far, and the bytes of bodies that answered them. */
  readonly asked: () => { requests: number; bytes: number };
}

/** Serves one file by ranges on this machine, as an object store does, and counts. */
export const serveFile = async (path: string): Promise<RangeServer> => {
  const { size } = statSync(path);
  let [requests, bytes] = [0, 0];
  const server = createServer((request, response) => {
    requests++;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const start = Number(first ?? 0);
    const end = Math.min(Number(last ?? size - 1), size - 1);
    bytes += end - start + 1;
    response.writeHead(206, {
      'content-range': `bytes ${start}-${end}/${size}`,
      'content-length': end - start + 1,
      etag: `"${size}"`,
    });
    createReadStream(path, { start, end }).pipe(response);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => ({ requests, bytes }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
      else resolve(address.port);
    });
  });
