import { type SceneStatus, WINDOW_STATES, type WindowState } from '../../lambda/pipeline/recovery/scene-status.ts';

/** Rows of text as columns, each as wide as its widest cell. */
export const columnsOf = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const MARKS: Readonly<Record<WindowState, string>> = {
  written: '#',
  empty: '.',
  running: '>',
  lapsed: '!',
  dead: 'x',
  waiting: '-',
};

/** A map of the scene's windows, a character each, as they lie in the scene. */
export const windowMap = ({ windows }: SceneStatus): string =>
  windows.map((row) => row.map((state) => MARKS[state]).join('')).join('\n');

/** What the marks of the map mean, those that occur in it. */
export const mapLegend = ({ counts }: SceneStatus): string =>
  WINDOW_STATES.map((state) => [state, MARKS[state]] as const)
    .filter(([state]) => counts[state] > 0)
    .map(([state, mark]) => `${mark} ${counts[state]} ${state}`)
    .join('   ');

/** `3 min 20 s`, for ages. */
export const ageOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
};

/** What is said beside a scene whose purge was interrupted. */
export const purgeNote = (left: number): string => (left === 0 ? '' : `PURGED, ${left} objects left: run purge again`);
