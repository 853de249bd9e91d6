import {
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ListedObject } from '../../gates/object-store.ts';
import { onStore } from './errors.ts';
import { s3Uri } from './s3-ranges.ts';

type Client = Pick<S3Client, 'send'>;

/** Every page of a listing, each asked for with the token of the one before. @throws whatever `ask` throws. */
export async function* objectPages(
  ask: (next: { readonly ContinuationToken?: string }) => Promise<ListObjectsV2CommandOutput>,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let token: string | undefined;
  do {
    const page = await ask(token === undefined ? {} : { ContinuationToken: token });
    yield page;
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Every object of a bucket whose key begins with `prefix`, page by page. @throws StoreUnavailableError. */
export async function* listObjects(client: Client, bucket: string, prefix: string): AsyncGenerator<ListedObject> {
  const pages = objectPages((next) =>
    onStore(`${s3Uri(bucket, prefix)} could not be listed`, () =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...next })),
    ),
  );
  for await (const page of pages) {
    for (const { Key: key, Size: bytes, LastModified: modified } of page.Contents ?? []) {
      if (key !== undefined) yield { key, bytes: bytes ?? 0, modifiedAt: modified?.getTime() ?? 0 };
    }
  }
}

export interface ObjectVersionId {
  readonly key: string;
  /** `null` for an object that was written while the bucket kept no versions. */
  readonly versionId: string;
  /** `object`: what stands under the key now. `kept`: an older one. `marker`: a delete marker. */
  readonly kind: 'object' | 'kept' | 'marker';
}

/** Every version and delete marker under `prefix`. @throws StoreUnavailableError. */
export async function* listVersions(client: Client, bucket: string, prefix: string): AsyncGenerator<ObjectVersionId> {
  let marker: { KeyMarker?: string; VersionIdMarker?: string } | null = {};
  while (marker !== null) {
    const from: { KeyMarker?: string; VersionIdMarker?: string } = marker;
    const page = await onStore(`the versions under ${s3Uri(bucket, prefix)} could not be listed`, () =>
      client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...from })),
    );
    for (const { Key: key, VersionId: versionId, IsLatest: latest } of page.Versions ?? []) {
      if (key !== undefined) yield { key, versionId: versionId ?? 'null', kind: latest === true ? 'object' : 'kept' };
    }
    for (const { Key: key, VersionId: versionId } of page.DeleteMarkers ?? []) {
      if (key !== undefined) yield { key, versionId: versionId ?? 'null', kind: 'marker' };
    }
    const { NextKeyMarker: nextKey, NextVersionIdMarker: nextVersion } = page;
    marker =
      page.IsTruncated === true && nextKey !== undefined
        ? { KeyMarker: nextKey, ...(nextVersion === undefined ? {} : { VersionIdMarker: nextVersion }) }
        : null;
  }
}
