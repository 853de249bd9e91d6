/** The calls that a deployment makes for a scene, by what is paid for. Where nothing is repeated. */
export type Call =
  | 'HeadObject'
  | 'GetObject'
  | 'PutObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem'
  | 'SendMessageBatch';

export type CallCounts = Readonly<Partial<Record<Call, number>>>;

/** What of a scene decides how many calls it takes. */
export interface SceneShape {
  /** Windows; each is taken to have valid pixels, so that it has a tile. */
  readonly windows: number;
  /** Distinct source objects. */
  readonly sources: number;
  /** GETs that read the headers of all sources. */
  readonly headerGets: number;
  /** GETs of source blocks a window, on average. */
  readonly blockGets: number;
  /** GETs of tiles for the mosaic. */
  readonly tileGets: number;
  /** Parts of the mosaic's upload. */
  readonly parts: number;
  /** Batches that the windows' messages are sent in. */
  readonly batches: number;
}

/** How often each source is looked at before a scene is planned: until two looks agree. */
const LOOKS = 2;

/** The first upload's event: the scene is planned and its windows are sent. */
export const fanOutCalls = ({ sources, headerGets, batches }: SceneShape): CallCounts => ({
  HeadObject: LOOKS * sources,
  GetObject: headerGets,
  UpdateItem: 2,
  PutItem: 1,
  GetItem: 1,
  SendMessageBatch: batches,
});

/** Each further event of the scene, once it is finished: one refused claim, and a look at plan, rows and item. */
export const repeatedRingCalls = ({ sources }: SceneShape): CallCounts => ({
  HeadObject: LOOKS * sources + 1,
  UpdateItem: 1,
  GetItem: 1,
  Query: 1,
});

/** One window, by a worker that has the sources' headers: claim, blocks, tile, row, commit. */
export const windowCalls = ({ blockGets }: SceneShape): CallCounts => ({
  UpdateItem: 2,
  GetObject: blockGets,
  PutObject: 1,
  PutItem: 1,
});

/** One look at a scene that has new rows. The last one sends it to assembly. */
export const countCalls = (complete: boolean): CallCounts => ({
  GetItem: 1,
  Query: 1,
  ...(complete ? { SendMessageBatch: 1 } : {}),
});

/**
 * The assembly: plan, claim, rows; two HEADs a tile (against its row, and to open it); the mosaic's HEAD, parts and
 * completion; preview and item; the plan's end and the commit.
 */
export const assemblyCalls = ({ windows, tileGets, parts }: SceneShape): CallCounts => ({
  GetItem: 1,
  UpdateItem: 3,
  Query: 1,
  HeadObject: 2 * windows + 1,
  GetObject: tileGets,
  CreateMultipartUpload: 1,
  UploadPart: parts,
  CompleteMultipartUpload: 1,
  PutObject: 2,
});
