import type { Directory } from './directory.ts';
import { acquisitionTime, parseGdalMetadata } from './gdal-metadata.ts';
import type { GdalMetadata } from './gdal-metadata.ts';
import type { Georeference } from './georeference.ts';
import { readGeoreference } from './georeference.ts';
import { TAG } from './tags.ts';

/** What the tags of the full resolution say beside how it is stored. */
export interface RasterDescription {
  /** GDAL_NODATA as it stands in the file. */
  readonly nodataText: string | undefined;
  readonly bandMetadata: GdalMetadata['bands'];
  /** ISO 8601, UTC, to the second. */
  readonly dateTime: string | null;
  readonly georeference: Georeference;
}

/** Reads a directory's descriptive tags; judges nothing. */
export async function readDescription(directory: Directory): Promise<RasterDescription> {
  const metadata = parseGdalMetadata(await directory.text(TAG.GdalMetadata));
  return {
    nodataText: await directory.text(TAG.GdalNodata),
    bandMetadata: metadata.bands,
    dateTime: acquisitionTime(metadata, await directory.text(TAG.DateTime)),
    georeference: await readGeoreference(directory),
  };
}
