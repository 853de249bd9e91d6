import type { SceneJobId } from '../../lambda/identity/job-key.ts';
import { mosaicKey } from '../../lambda/identity/output-keys.ts';
import type { DeployedApp } from './deployed-app.ts';
import { changeMessages, changeReplyOnce, crashAt, everyMessageTwice, isItemCall, loseMessages } from './faults.ts';
import { type CrashPoint, isObjectWrite, isUploadCompletion, refuseOnce, sentBy } from './faults.ts';
import type { Interceptor } from './recording-proxy.ts';
import { idOfScene, isFinished, ringAgain, uploadScene } from './uploaded-scene.ts';
import { until } from './waiting.ts';

/** What became of three scenes that met every fault that there is at once. */
export interface Survived {
  /** Every event of it came twice and more, and its workers died in the middle. 100 windows. */
  readonly repeated: SceneJobId;
  /** Its second band came late, messages of it got lost, and its mosaic met a 409. 4 windows. */
  readonly lost: SceneJobId;
  /** Its windows, and then its assembly, met a plan made by other code. 4 windows. */
  readonly replanned: SceneJobId;
  /** The moments at which workers were to die, and those at which they did. */
  readonly crashes: { readonly meant: readonly string[]; readonly happened: readonly string[] };
}

/** After these calls have been carried out, and before their replies arrive, all workers of the function die. */
const crashPoints = (id: SceneJobId): readonly CrashPoint[] => [
  {
    name: 'some windows sent, others not',
    caller: 'fan-out',
    isReached: (call) => sentBy(call) !== null && call.body.includes(id),
  },
  { name: 'tile written, no row', caller: 'tile', isReached: (call) => isObjectWrite(call, `/tiles/${id}/`) },
  {
    name: 'row written, not committed',
    caller: 'tile',
    isReached: (call) => isItemCall(call, 'PutItem', `tiles/${id}/`),
  },
  {
    name: 'mosaic written, no item',
    caller: 'assemble',
    isReached: (call) => isUploadCompletion(call, mosaicKey(id)),
  },
];

/** A window's message, and the word that all rows are there: only the reaper can bring them back. */
const losses = (id: SceneJobId): Interceptor =>
  loseMessages((caller, body) => {
    if (caller === 'reap' || !body.includes(id)) return false;
    return caller === 'count' || (caller === 'fan-out' && /"row":1\b/u.test(body) && /"column":1\b/u.test(body));
  });

/** A deployment in mid-scene: the first round of windows, and one assembly, see a plan of another pixel version. */
const otherCode = (id: SceneJobId, windows: number): readonly Interceptor[] => {
  let changed = 0;
  return [
    changeMessages((caller, body) =>
      caller === 'fan-out' && body.includes(id) && changed++ < windows
        ? body.replace(/"pixelVersion":(\d+)/u, '"pixelVersion":9$1')
        : body,
    ),
    changeReplyOnce(
      (call) => call.caller === 'assemble' && isItemCall(call, 'GetItem', id),
      (text) => text.replace(/pixelVersion\\":(\d+)/u, 'pixelVersion\\":9$1'),
    ),
  ];
};

/** The second band comes when the first one has been looked at and found alone. */
const uploadOneByOne = async (app: DeployedApp, name: string): Promise<SceneJobId> => {
  const { red, nir } = await app.makeScene(name, 64);
  const key = await app.upload(name, red);
  await until('an incomplete scene is looked at', () =>
    Promise.resolve(
      app.proxy.calls.some(({ caller, path, status }) => caller === 'fan-out' && status === 404 && path.includes(name)),
    ),
  );
  await app.upload(name, nir);
  return idOfScene(app, key);
};

/** Uploads three scenes, spoils what can be spoilt, and waits until all are finished. @throws Error where they are not in time. */
export const surviveFaults = async (app: DeployedApp): Promise<Survived> => {
  const lost = await uploadOneByOne(app, 'lost');
  const { id: replanned } = await uploadScene(app, 'replanned', 64);
  const scene = await uploadScene(app, 'repeated', 320);
  const repeated = scene.id;
  const points = crashPoints(repeated);
  const crashes = crashAt(points, (caller) => app.kill(caller));
  const faults = [
    crashes.interceptor,
    everyMessageTwice,
    losses(lost),
    refuseOnce((call) => isUploadCompletion(call, mosaicKey(lost))),
    ...otherCode(replanned, 4),
  ].map((interceptor) => app.proxy.intercept(interceptor));
  await ringAgain(app, scene);
  const finished = async (): Promise<boolean> =>
    (await Promise.all([lost, replanned, repeated].map((id) => isFinished(app, id)))).every(Boolean);
  await until('three scenes survive the faults', finished, 900);
  for (const fault of faults) fault[Symbol.dispose]();
  return {
    repeated,
    lost,
    replanned,
    crashes: { meant: points.map(({ name }) => name), happened: crashes.reached },
  };
};
