import * as z from 'zod';

/** A V8 profile by stage: each sample belongs to the nearest caller, itself first, whose file is a stage's. */

const nodeSchema = z.object({
  id: z.number(),
  callFrame: z.object({ functionName: z.string(), url: z.string() }),
  children: z.array(z.number()).optional(),
});
const profileSchema = z.object({
  nodes: z.array(nodeSchema),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
type ProfileNode = z.infer<typeof nodeSchema>;

/** Stages by where their code lies; the first that matches counts. */
const STAGES: readonly (readonly [stage: string, where: RegExp])[] = [
  ['inflate', /raster\/source\/(codecs|lzw|packbits|lerc|inflate)/],
  ['unpredict, copy', /raster\/source\/(predictor|samples|copy|window|unpredict|sample|pixels)/],
  ['find and fetch blocks', /raster\/source\/|embedded\/(file-|source-)/],
  ['warp', /raster\/(warp|crs)\//],
  ['expression, statistics', /raster\/expression\/|raster\/statistics|pipeline\/evaluate/],
  ['digest', /cog\/digest|identity\/sha256/],
  ['deflate', /cog\/codec/],
  ['predictor, packing', /cog\/(predictor|block|pack)/],
  ['overviews', /cog\/overview/],
  ['assembly', /raster\/mosaic\//],
  ['layout of files', /raster\/cog\//],
  ['write, fsync', /embedded\/(object|durable|temporary|scratch)/],
  ['ledger and gates', /embedded\/|gates\//],
  ['messages, plan', /identity\/|pipeline\/|local\/|\/zod\//],
];

/** Processor time, ms, of a stage and of its functions' own. */
export interface StageTime {
  readonly stage: string;
  readonly ms: number;
  readonly functions: readonly { readonly name: string; readonly ms: number }[];
}

/**
 * Adds a `.cpuprofile` up by stage, the costliest first; waiting is left out.
 *
 * @throws ZodError where the text is no profile
 */
export const stagesOf = (text: string): StageTime[] => {
  const { nodes, samples, timeDeltas } = profileSchema.parse(JSON.parse(text));
  const parents = new Map<number, ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const known = new Map(nodes.map((node) => [node.id, node]));
  const self = new Map<number, number>();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[i] ?? 0) / 1000);

  const stages = new Map<string, Map<string, number>>();
  for (const [id, ms] of self) {
    const node = known.get(id);
    if (node === undefined || node.callFrame.functionName === '(idle)') continue;
    const { stage, name } = placeOf(node, parents);
    const functions = stages.get(stage) ?? new Map<string, number>();
    functions.set(name, (functions.get(name) ?? 0) + ms);
    stages.set(stage, functions);
  }
  return [...stages]
    .map(([stage, functions]) => ({
      stage,
      ms: [...functions.values()].reduce((sum, ms) => sum + ms, 0),
      functions: [...functions].map(([name, ms]) => ({ name, ms })).toSorted((a, b) => b.ms - a.ms),
    }))
    .toSorted((a, b) => b.ms - a.ms);
};

const placeOf = (node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): { stage: string; name: string } => {
  const { functionName } = node.callFrame;
  if (functionName === '(garbage collector)') return { stage: 'garbage collector', name: functionName };
  for (let at: ProfileNode | undefined = node; at !== undefined; at = parents.get(at.id)) {
    const { url } = at.callFrame;
    const found = STAGES.find(([, where]) => where.test(url));
    if (found !== undefined) return { stage: found[0], name: nameOf(node) };
  }
  return { stage: 'runtime', name: nameOf(node) };
};

const nameOf = ({ callFrame: { functionName, url } }: ProfileNode): string =>
  `${functionName === '' ? '(anonymous)' : functionName} ${url.split('/').slice(-2).join('/')}`.trim();
