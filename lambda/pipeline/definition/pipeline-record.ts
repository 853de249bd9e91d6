import type { BandDefinition, Pipeline } from './pipeline.ts';

/** JSON has no NaN: a record spells it `nan`. */
type RecordedNumber = number | 'nan' | null;

/** A pipeline as a record carries it: plain JSON. */
export interface PipelineRecord extends Omit<Pipeline, 'nodata' | 'bands'> {
  readonly nodata: RecordedNumber;
  readonly bands: readonly (Omit<BandDefinition, 'nodata'> & { readonly nodata: RecordedNumber })[];
}

const toRecorded = (value: number | null): RecordedNumber => (Number.isNaN(value) ? 'nan' : value);
const fromRecorded = (value: RecordedNumber): number | null => (value === 'nan' ? NaN : value);

/** The pipeline as JSON can hold it. */
export const toPipelineRecord = (pipeline: Pipeline): PipelineRecord => ({
  ...pipeline,
  nodata: toRecorded(pipeline.nodata),
  bands: pipeline.bands.map((band) => ({ ...band, nodata: toRecorded(band.nodata) })),
});

/** The pipeline that was recorded. */
export const fromPipelineRecord = (record: PipelineRecord): Pipeline => ({
  ...record,
  nodata: fromRecorded(record.nodata),
  bands: record.bands.map((band) => ({ ...band, nodata: fromRecorded(band.nodata) })),
});
