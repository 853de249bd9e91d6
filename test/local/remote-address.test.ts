import { describe, expect, it } from '@jest/globals';
import { kindOfLocation, parseAddress } from '../../lambda/local/remote-address.ts';

const refusal = (text: string): string => {
  try {
    return `${text} was read as ${JSON.stringify(parseAddress(text))}`;
  } catch (error) {
    return error instanceof Error && 'oneLine' in error ? String(error.oneLine) : String(error);
  }
};

describe('the address of a scene', () => {
  it('is a path where it has no scheme', () => {
    for (const path of ['B04.tif', '/data/scene', './a:b.tif', 'C:/scenes/B04.tif']) {
      expect(parseAddress(path)).toBeNull();
    }
  });

  it('is a bucket and a key that is taken as it is', () => {
    expect(parseAddress('s3://scenes/L2A/a b+c%20é#1.tif')).toEqual({
      kind: 's3',
      location: 's3://scenes',
      bucket: 'scenes',
      key: 'L2A/a b+c%20é#1.tif',
    });
    expect(parseAddress('s3://scenes')).toMatchObject({ bucket: 'scenes', key: '' });
    expect(parseAddress('s3://scenes/L2A/')).toMatchObject({ bucket: 'scenes', key: 'L2A/' });
  });

  it('is a server and a path as URLs spell it', () => {
    const address = { kind: 'web', location: 'https://example.org', bucket: 'https://example.org' };
    expect(parseAddress('https://example.org/L2A/a%20b.tif')).toEqual({ ...address, key: 'L2A/a%20b.tif' });
    // The same document, whoever typed it.
    expect(parseAddress('HTTPS://Example.org:443/L2A/x/../a b.tif#here')).toEqual({ ...address, key: 'L2A/a%20b.tif' });
    expect(parseAddress('http://127.0.0.1:8080/B04.tif')).toMatchObject({ location: 'http://127.0.0.1:8080' });
  });

  it('is refused in one line where it is neither', () => {
    expect(refusal('gs://scenes/B04.tif')).toMatch(/gs:\/\/ is not read: name a file/);
    expect(refusal('s3://Not_A_Bucket/B04.tif')).toMatch(/"Not_A_Bucket" is no name of a bucket/);
    expect(refusal('s3:///B04.tif')).toMatch(/"" is no name of a bucket/);
    expect(refusal('https://')).toMatch(/is no URL/);
  });

  it.each([
    'https://b.s3.amazonaws.com/B04.tif?X-Amz-Algorithm=AWS4&X-Amz-Signature=secret',
    'https://storage.googleapis.com/b/B04.tif?X-Goog-Signature=secret',
    'https://b.blob.core.windows.net/c/B04.tif?sv=2024&se=2026&sig=secret',
    'https://d.cloudfront.net/B04.tif?Expires=1&Signature=secret&Key-Pair-Id=K',
    'https://example.org/B04.tif?access_token=secret',
  ])('is refused where it is signed, and its secret is not shown: %s', (url) => {
    expect(refusal(url)).toMatch(/B04\.tif: a URL with a signature is not read/);
    expect(refusal(url)).not.toMatch(/secret/);
  });

  it('is refused with any other query, and with a user name', () => {
    expect(refusal('https://example.org/B04.tif?v=1')).toMatch(/B04\.tif: a URL with a query is not read/);
    expect(refusal('https://me:secret@example.org/B04.tif')).toMatch(/a URL with a user name is not read/);
    expect(refusal('https://me:secret@example.org/B04.tif')).not.toMatch(/secret/);
  });

  it('says which store a location names', () => {
    expect(['s3://b', 'https://h', 'http://h:1', '/data', ''].map(kindOfLocation)).toEqual([
      's3',
      'web',
      'web',
      'file',
      'file',
    ]);
  });
});
