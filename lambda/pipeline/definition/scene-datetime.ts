/** What a scene's time can be taken from. */
export interface DatetimeSources {
  /** The decoded key of the object that the scene is called by. */
  readonly key: string;
  /** The pipeline's regular expression, or null. Its first group holds the date, or else all that it finds. */
  readonly pattern: string | null;
  /** The TIFF tag DateTime, `YYYY:MM:DD HH:MM:SS`, or null. */
  readonly tiffDateTime: string | null;
  /** When the object was uploaded. */
  readonly uploaded: Date;
}

/** A scene's time, ISO 8601 in UTC to the second, and what it was taken from. */
export interface SceneDatetime {
  readonly datetime: string;
  readonly source: 'name' | 'tiff' | 'upload';
}

// A year, then month and day, or after an A the day of the year as MODIS names have it; then perhaps T and a time.
const DATE =
  /(?<!\d)(?:(?<year>\d{4})(?:(?<month>\d{2})(?<day>\d{2})|(?<mark>[-_.:])(?<month2>\d{2})\k<mark>(?<day2>\d{2})))(?:[Tt ](?<hour>\d{2}):?(?<minute>\d{2}):?(?<second>\d{2}))?(?!\d)|(?<![A-Za-z0-9])A(?<year3>\d{4})(?<dayOfYear>\d{3})(?!\d)/gu;

const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const dateOf = (groups: Readonly<Record<string, string | undefined>>): string | null => {
  const number = (name: string): number => Number(groups[name] ?? '0');
  const year = number('year') || number('year3');
  if (year < 1950 || year > 2099) return null;
  const ofYear = groups['dayOfYear'] !== undefined;
  const month = ofYear ? 1 : number('month') || number('month2');
  const day = ofYear ? number('dayOfYear') : number('day') || number('day2');
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const same = date.getUTCFullYear() === year && (ofYear ? day > 0 : date.getUTCMonth() === month - 1);
  if (!same || (!ofYear && date.getUTCDate() !== day)) return null;
  return hour < 24 && minute < 60 && second < 60 ? isoSeconds(date.getTime()) : null;
};

/** The first date of a text, ISO 8601 in UTC, or null; what is no date of the calendar is passed over. */
const firstDate = (text: string): string | null => {
  for (const { groups } of text.matchAll(DATE)) {
    const date = dateOf(groups ?? {});
    if (date !== null) return date;
  }
  return null;
};

/** The first date of the file's name, else of the nearest folder's that has one. */
const dateInKey = (key: string): string | null => {
  for (const segment of key.split('/').toReversed()) {
    const date = firstDate(segment);
    if (date !== null) return date;
  }
  return null;
};

const dateByPattern = (key: string, pattern: string): string | null => {
  const found = new RegExp(pattern, 'u').exec(key);
  return found === null ? null : firstDate(found[1] ?? found[0]);
};

/**
 * A scene's time: by the pipeline's pattern, or the first date (and time) in the name; else the TIFF's tag; else the time
 * of upload. Times without a zone are taken as UTC; a date without a time is its midnight.
 */
export const sceneDatetime = ({ key, pattern, tiffDateTime, uploaded }: DatetimeSources): SceneDatetime => {
  const named = pattern === null ? dateInKey(key) : dateByPattern(key, pattern);
  if (named !== null) return { datetime: named, source: 'name' };
  const tagged = tiffDateTime === null ? null : firstDate(tiffDateTime);
  if (tagged !== null) return { datetime: tagged, source: 'tiff' };
  return { datetime: isoSeconds(uploaded.getTime()), source: 'upload' };
};
