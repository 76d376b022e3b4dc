const mark = '$bigint';

/** Returns the value with each bigint as an object that JSON can hold. */
export const toSaved = (value: unknown): unknown => {
  if (typeof value === 'bigint') return { [mark]: value.toString() };
  if (Array.isArray(value)) return value.map(toSaved);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toSaved(inner)]));
};

/** Restores the value that was passed to `toSaved`. */
export const fromSaved = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(fromSaved);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === mark && typeof first[1] === 'string') {
    return BigInt(first[1]);
  }
  return Object.fromEntries(entries.map(([name, inner]) => [name, fromSaved(inner)]));
};
