import { SingleBar } from 'cli-progress';
import type { SceneRequest } from '../lambda/local/find-scenes.ts';
import type { RunObserver } from '../lambda/local/run-scenes.ts';
import { windowCount } from '../lambda/identity/grid.ts';
import type { ScenePlan } from '../lambda/identity/plan.ts';

/** Seconds between two plain lines, where stderr is no terminal. */
const PLAIN_SECONDS = 10;

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

const planLine = (request: SceneRequest, plan: ScenePlan): string => {
  const { grid, pipeline, windows } = plan;
  const shape = `${windows.rowEdges.length - 1} x ${windows.columnEdges.length - 1}`;
  return (
    `scene ${request.label}: ${windowCount(windows)} windows (${shape}), ` +
    `${grid.width} x ${grid.height} px, ${grid.crs.code ?? grid.crs.name}, ${pipeline.dtype} ${pipeline.compression}`
  );
};

/** Shows a run on stderr: a bar on a terminal, plain lines elsewhere. stdout stays for results. */
export class Progress implements RunObserver {
  readonly #bar: SingleBar | null;
  readonly #started = performance.now();
  #saidAt = performance.now();
  #saidDone = -1;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#bar = stream.isTTY
      ? new SingleBar({
          stream,
          format: '{bar} {value}/{total} windows  {rate} MB/s read  {eta_formatted} left',
          barCompleteChar: '█',
          barIncompleteChar: '░',
          hideCursor: true,
          clearOnComplete: true,
          gracefulExit: false,
        })
      : null;
  }

  planned(request: SceneRequest, plan: ScenePlan): void {
    this.note(planLine(request, plan));
  }

  progress({ windows, done, bytesRead }: { windows: number; done: number; bytesRead: number }): void {
    if (windows === 0) return;
    const seconds = (performance.now() - this.#started) / 1000;
    const rate = (bytesRead / 1e6 / seconds).toFixed(1);
    if (this.#bar !== null) {
      if (!this.#bar.isActive) this.#bar.start(windows, done, { rate });
      this.#bar.setTotal(windows);
      this.#bar.update(done, { rate });
      return;
    }
    if ((performance.now() - this.#saidAt) / 1000 < PLAIN_SECONDS || done === this.#saidDone) return;
    this.#saidAt = performance.now();
    this.#saidDone = done;
    console.error(`${done}/${windows} windows, ${megabytes(bytesRead)} MB read, ${rate} MB/s`);
  }

  note(message: string): void {
    this.#bar?.stop();
    console.error(message);
  }

  stop(): void {
    this.#bar?.stop();
  }
}
