/**
 * Runs `act` on every item, `concurrency` at a time. After a failure nothing new is begun; the first one is thrown
 * once nothing runs any more, so that no call outlives its caller.
 */
export const eachOf = async <T>(
  items: readonly T[],
  concurrency: number,
  act: (item: T) => Promise<void>,
): Promise<void> => {
  const rest = items.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const item of rest) {
      if (failures.length > 0) return;
      try {
        await act(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  if (failures.length > 0) throw failures[0];
};
