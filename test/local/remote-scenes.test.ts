import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type AnsweringServer, answeringServer } from '../engines/aws/answering-server.ts';
import { bandFile, smallPipeline } from '../support/scene-world.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { outputBytes } from './outputs.ts';
import { serveObjects } from './served-objects.ts';
import { workHere } from './work-here.ts';

const NAMES = ['S_B04.tif', 'S_B08.tif'] as const;
const bands = new Map(NAMES.map((name, i) => [name, bandFile(i + 1)]));
const itemSchema = z.object({ links: z.array(z.object({ rel: z.string(), href: z.string() })) });

let folder: TemporaryFolder;
let server: AnsweringServer | null = null;
const environment = { ...process.env };
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  folder.remove();
  await server?.[Symbol.asyncDispose]();
  server = null;
  process.env = { ...environment };
});

/** Serves the bands under a path; S3's clients of this process go there too. */
const serve = async (path: string): Promise<AnsweringServer> => {
  server = await answeringServer(serveObjects(new Map([...bands].map(([name, bytes]) => [`${path}${name}`, bytes]))));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: server.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  return server;
};

const out = (name: string): string => join(folder.path, name);

/** Tiles and mosaic by window and name: what must not depend on where a scene was read. */
const pixelsOf = (outFolder: string, id: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(outputBytes(outFolder))
      .filter(([path]) => !path.endsWith('item.json'))
      .map(([path, sha256]) => [path.replace(id, 'JOB'), sha256]),
  );

const sourceHrefs = (outFolder: string, id: string): string[] => {
  const item = itemSchema.parse(JSON.parse(readFileSync(join(outFolder, 'scenes', id, 'item.json'), 'utf8')));
  return item.links.flatMap(({ rel, href }) => (rel === 'derived_from' ? [href] : []));
};

const fromFiles = async (): Promise<Record<string, string>> => {
  mkdirSync(out('scene'));
  for (const [name, bytes] of bands) writeFileSync(join(out('scene'), name), bytes);
  const [id = ''] = await workHere(out('files'), smallPipeline(), [join(out('scene'), NAMES[0])]);
  return pixelsOf(out('files'), id);
};

describe('a scene on a web server', () => {
  it('has the tiles, mosaic and preview of the same files, under an identity of its own', async () => {
    const { endpoint } = await serve('/L2A/');
    const [id = ''] = await workHere(out('web'), smallPipeline(), [`${endpoint}/L2A/S_B08.tif`]);
    const pixels = pixelsOf(out('web'), id);
    expect(pixels).toEqual(await fromFiles());
    expect(Object.keys(pixels)).toHaveLength(8 + 2);
    expect(sourceHrefs(out('web'), id)).toEqual(NAMES.map((name) => `${endpoint}/L2A/${name}`));
  });
});

describe('a scene in a bucket', () => {
  it('has the tiles, mosaic and preview of the same files, and the same job when it is run again', async () => {
    const { received } = await serve('/scenes/L2A/x y#1/');
    const address = 's3://scenes/L2A/x y#1/S_B04.tif';
    const [id = ''] = await workHere(out('s3'), smallPipeline(), [address]);
    expect(pixelsOf(out('s3'), id)).toEqual(await fromFiles());
    expect(sourceHrefs(out('s3'), id)).toEqual(NAMES.map((name) => `s3://scenes/L2A/x%20y%231/${name}`));
    expect(await workHere(out('s3'), smallPipeline(), [address])).toEqual([id]);
    const gets = received.filter(({ method }) => method === 'GET');
    expect(gets.every(({ headers }) => headers['if-match'] !== undefined)).toBe(true);
    expect(gets.every(({ headers }) => headers['authorization']?.includes('test/') === true)).toBe(true);
    expect(received.every(({ headers }) => headers['x-amz-request-payer'] === undefined)).toBe(true);
  });

  it('is found below a prefix', async () => {
    await serve('/scenes/L2A/');
    expect(await workHere(out('s3'), smallPipeline(), ['s3://scenes/L2A/'])).toHaveLength(1);
  });

  it('that is public is asked for without a signature', async () => {
    const { received } = await serve('/scenes/L2A/');
    delete process.env['AWS_ACCESS_KEY_ID'];
    const remote = { anonymous: true, requesterPays: false };
    expect(await workHere(out('s3'), smallPipeline(), ['s3://scenes/L2A/'], remote)).toHaveLength(1);
    expect(received.length).toBeGreaterThan(5);
    expect(received.every(({ headers }) => headers['authorization'] === undefined)).toBe(true);
  });

  it('that charges its readers is asked for as a paying requester, every time', async () => {
    const { received } = await serve('/scenes/L2A/');
    const remote = { anonymous: false, requesterPays: true };
    await workHere(out('s3'), smallPipeline(), ['s3://scenes/L2A/'], remote);
    expect(received.length).toBeGreaterThan(5);
    expect(received.every(({ headers }) => headers['x-amz-request-payer'] === 'requester')).toBe(true);
  });

  it('that changes between plan and read is not mixed: its windows end, and it is planned again', async () => {
    await serve('/scenes/L2A/');
    const objects = new Map([...bands].map(([name, bytes]) => [`/scenes/L2A/${name}`, bytes]));
    await using changing = await answeringServer((request) => {
      // The reads of headers come first; from then on another object stands there.
      if (request.method === 'GET' && request.path.includes('B08')) objects.set('/scenes/L2A/S_B08.tif', bandFile(9));
      return serveObjects(objects)(request);
    });
    process.env['AWS_ENDPOINT_URL_S3'] = changing.endpoint;
    await expect(workHere(out('s3'), smallPipeline(), ['s3://scenes/L2A/'])).rejects.toMatchObject({
      name: 'SourceChangedError',
    });
  });
});
