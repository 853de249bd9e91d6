import * as z from 'zod';
import { itemKey } from '../identity/output-keys.ts';
import type { ScenePlan } from '../identity/plan.ts';
import type { PipelineContext } from './context.ts';

const dated = z.object({ properties: z.object({ datetime: z.string() }) });

/**
 * The plan with the time that its item already tells, where the time came from the upload: that of a copy is another one,
 * and a scene that was finished before its ledger was lost must not diverge from itself over it.
 *
 * @throws StoreUnavailableError.
 */
export const withTimeOnRecord = async (
  context: Pick<PipelineContext, 'objects'>,
  plan: ScenePlan,
): Promise<ScenePlan> => {
  if (plan.time.from !== 'upload') return plan;
  const item = await context.objects.get(itemKey(plan.sceneJobId));
  if (item === null) return plan;
  const parsed = dated.safeParse(parseJson(new TextDecoder().decode(item)));
  return parsed.success ? { ...plan, time: { ...plan.time, datetime: parsed.data.properties.datetime } } : plan;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
