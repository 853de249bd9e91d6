import { SingleBar } from 'cli-progress';
import { windowCount } from '../lambda/identity/grid.ts';
import type { ScenePlan } from '../lambda/identity/plan.ts';
import type { SceneRequest } from '../lambda/local/scene-request.ts';
import type { RunObserver } from '../lambda/local/run-scenes.ts';

/** Seconds between two plain lines, where stderr is no terminal. */
const PLAIN_SECONDS = 10;

/** Columns of the bar: the line must fit a terminal of 80. */
const BAR_COLUMNS = 28;

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

const planLine = (request: SceneRequest, plan: ScenePlan): string => {
  const { grid, pipeline, windows } = plan;
  const shape = `${windows.rowEdges.length - 1} x ${windows.columnEdges.length - 1}`;
  return (
    `scene ${request.label}: ${windowCount(windows)} windows (${shape}), ` +
    `${grid.width} x ${grid.height} px, ${grid.crs.code ?? grid.crs.name}, ${pipeline.dtype} ${pipeline.compression}`
  );
};

/** A time as people say it: `50 s`, `3 min`, `1 h 20 min`. */
const duration = (seconds: number): string => {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Shows a run on stderr: a bar on a terminal, plain lines elsewhere. stdout stays for results. */
export class Progress implements RunObserver {
  readonly #bar: SingleBar | null;
  readonly #started = performance.now();
  #first: { readonly done: number; readonly at: number } | null = null;
  #saidAt = performance.now();
  #saidDone = -1;
  /** One scene that has no date by the pipeline's pattern is told, not each of many. */
  #saidUndated = false;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#bar = stream.isTTY
      ? new SingleBar({
          stream,
          format: '{bar} {value}/{total} windows  {rate} MB/s read  {left}',
          barsize: BAR_COLUMNS,
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
    const { datetime } = plan.pipeline;
    if (datetime === null || plan.time.from === 'name' || this.#saidUndated) return;
    this.#saidUndated = true;
    this.note(
      `${request.label}: the pipeline's datetime ${datetime} finds no date in its name; ` +
        `its time ${plan.time.datetime} is the ${plan.time.from === 'tiff' ? "file's own tag" : "file's last change"}`,
    );
  }

  progress({ windows, done, bytesRead }: { windows: number; done: number; bytesRead: number }): void {
    if (windows === 0) return;
    const now = performance.now();
    this.#first ??= { done, at: now };
    const rate = (bytesRead / 1e3 / (now - this.#started)).toFixed(1);
    if (this.#bar !== null) {
      const shown = { rate, left: this.#timeLeft(windows, done, now) };
      if (!this.#bar.isActive) this.#bar.start(windows, done, shown);
      this.#bar.setTotal(windows);
      this.#bar.update(done, shown);
      return;
    }
    if ((now - this.#saidAt) / 1000 < PLAIN_SECONDS || done === this.#saidDone) return;
    this.#saidAt = now;
    this.#saidDone = done;
    console.error(`${done}/${windows} windows, ${megabytes(bytesRead)} MB read, ${rate} MB/s`);
  }

  /** Says something above the bar, which comes back by itself. */
  note(message: string): void {
    this.#bar?.stop();
    console.error(message);
  }

  stop(): void {
    this.#bar?.stop();
  }

  /** By this run's own pace: what an earlier one has done says nothing about it. */
  #timeLeft(windows: number, done: number, now: number): string {
    if (done >= windows) return 'assembling';
    const { done: before, at } = this.#first ?? { done, at: now };
    if (done === before) return '';
    return `${duration(((windows - done) * (now - at)) / 1000 / (done - before))} left`;
  }
}
