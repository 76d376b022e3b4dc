/** A NUL character, which no text column takes, or half a surrogate pair, which no `jsonb` does. */
const unstorable = /[\0\p{Cs}]/u;

/**
 * The dotted path of the first text that PostgreSQL can't store, in values or in keys; undefined
 * where all is well. Iterative: hostile nesting must not exhaust the stack.
 */
export const findUnstorable = (root: unknown): string | undefined => {
  const pending: { value: unknown; path: string }[] = [{ value: root, path: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') {
      if (unstorable.test(value)) return path;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        if (unstorable.test(key)) return path;
        pending.push({ value: child, path: path === '' ? key : `${path}.${key}` });
      }
    }
  }
  return undefined;
};
