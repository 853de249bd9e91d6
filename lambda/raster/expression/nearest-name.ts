/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`: optimal string alignment distance. */
const editDistance = (a: string, b: string): number => {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const replaced = (previous[column - 1] ?? 0) + (same ? 0 : 1);
      let best = Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforePrevious[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
};

/**
 * The one of `names` that the writer of `word` most likely meant, or null where none is near: another case, or no more
 * than one edit in three characters apart (at least one), with a character in common.
 */
export const nearestName = (word: string, names: Iterable<string>): string | null => {
  let nearest: string | null = null;
  let nearestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < nearestDistance && distance < Math.min(word.length, name.length)) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
};

/** `: did you mean "name"?`, to be put behind a message, or nothing where no name is near. */
export const didYouMean = (word: string, names: Iterable<string>): string => {
  const nearest = nearestName(word, names);
  return nearest === null ? '' : `: did you mean "${nearest}"?`;
};
