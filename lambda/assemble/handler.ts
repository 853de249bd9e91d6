import { readAssembleEnvironment } from '../environment.ts';
import { collectInOnePass } from '../garbage-collection.ts';
import { assembleScene } from '../pipeline/assemble-scene.ts';
import { parseAssemblyMessage } from '../pipeline/messages.ts';
import { queueHandler } from '../serverless/queue-handler.ts';
import { lambdaRuntime } from '../serverless/runtime.ts';
import { openScratch } from './scratch.ts';

collectInOnePass();

const env = readAssembleEnvironment(process.env);
const runtime = lambdaRuntime(env);

/** One assembly message: the mosaic, its preview and the scene's item. */
export const handler = queueHandler(runtime, 'assemblies', async (body, signal) => {
  const message = parseAssemblyMessage(body);
  runtime.telemetry.about({ sceneJobId: message.sceneJobId });
  const outcome = await assembleScene(
    runtime.context,
    () => openScratch({ mostBytes: env.SCRATCH_MB * 1024 * 1024 }),
    message,
    signal,
  );
  return outcome.kind === 'live' ? outcome : { kind: 'done' };
});
