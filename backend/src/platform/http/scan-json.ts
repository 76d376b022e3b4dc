/** The bounds of the shape of a JSON body (contract: limits > Sizes). */
export interface ShapeLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** The result of a scan: a reason to refuse, or whether an escape may hide what can't be stored. */
interface Scanned {
  readonly refusal?: 'depth' | 'values';
  /** An escape names a NUL or half of a surrogate pair: nothing else in UTF-8 can. */
  readonly hasOddEscape: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const letterU = 0x75;
/** The bytes that are looked at one by one before a search is worth its call. */
const shortRun = 256;

const lastBlank = 0x20;

const zero = 0x30;
/** Makes a letter small, and leaves digits. */
const small = 0x20;

/** Returns true where `\uXXXX` at `at`, its backslash, is a NUL or a surrogate. */
const isOddEscape = (bytes: Buffer, at: number): boolean => {
  if (bytes[at + 1] !== letterU) return false;
  const [first, second] = [bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  // From `8` on, the letters included.
  if ((first | small) === 0x64) return second >= 0x38;
  return first === zero && second === zero && bytes[at + 4] === zero && bytes[at + 5] === zero;
};

/** Returns true for `[` and `{`, which differ in one bit. */
const isOpening = (byte: number): boolean => (byte | small) === 0x7b;
const isClosing = (byte: number): boolean => (byte | small) === 0x7d;

/** Finds one byte again and again, ever further on: each byte of the text is searched once. */
const createFinder = (bytes: Buffer, wanted: number): ((from: number) => number) => {
  let found = -1;
  return (from) => {
    if (found < from) {
      const next = bytes.indexOf(wanted, from);
      found = next < 0 ? bytes.length : next;
    }
    return found;
  };
};

/** Returns the ends of strings, and remembers what their escapes named. */
const createStringWalk = (bytes: Buffer) => {
  const { length } = bytes;
  const nextQuote = createFinder(bytes, quote);
  const nextBackslash = createFinder(bytes, backslash);
  const walk = {
    hasOddEscape: false,
    /** Returns the place of the quote that ends the string whose first byte is at `from`. */
    endOf(from: number): number {
      let at = from;
      while (at < length) {
        const near = Math.min(at + shortRun, length);
        for (; at < near; at += 1) {
          const byte = bytes[at];
          if (byte === quote) return at;
          if (byte !== backslash) continue;
          walk.hasOddEscape ||= isOddEscape(bytes, at);
          at += 1;
        }
        const end = nextQuote(at);
        const escape = nextBackslash(at);
        if (end < escape) return end;
        at = escape;
      }
      return length;
    },
  };
  return walk;
};

/**
 * Scans the bytes of a JSON text before anything parses them: how deep they nest and how many
 * values they hold, at any depth and the outermost not counted. A parser would build all of it
 * first, and 2 MB of brackets take it half a second. The text may turn out to be no JSON: that is
 * the parser's to find.
 */
export const scanJson = (bytes: Buffer, { maxDepth, maxValues }: ShapeLimits): Scanned => {
  const strings = createStringWalk(bytes);
  const { length } = bytes;
  let depth = 0;
  let values = 0;
  // Between an opening bracket and its first value, which no comma announces.
  let isFresh = false;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= lastBlank) continue;
    if (isClosing(byte)) {
      depth -= 1;
      isFresh = false;
      continue;
    }
    if (isFresh || byte === comma) {
      values += 1;
      isFresh = false;
      if (values > maxValues) return { refusal: 'values', hasOddEscape: strings.hasOddEscape };
    }
    if (byte === quote) {
      at = strings.endOf(at + 1);
    } else if (isOpening(byte)) {
      depth += 1;
      isFresh = true;
      if (depth > maxDepth) return { refusal: 'depth', hasOddEscape: strings.hasOddEscape };
    }
  }
  return { hasOddEscape: strings.hasOddEscape };
};
