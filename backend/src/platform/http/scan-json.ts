/** The bounds of the shape of a JSON body (contract: limits > Sizes). */
export interface ShapeLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** The result of a scan. */
interface Scanned {
  readonly refusal?: 'depth' | 'values';
  /**
   * True if an escape names a NUL or half of a surrogate pair, which can't be stored. In valid JSON
   * of UTF-8 only an escape can name them.
   */
  readonly hasOddEscape: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const letterU = 0x75;
/** The number of bytes that are read one by one before a native search is worth its call. */
const shortRun = 256;

const lastBlank = 0x20;

const zero = 0x30;
/** The bit that makes an ASCII letter lower case. Digits already have it. */
const lowerCaseBit = 0x20;

/** Returns true if the escape `\uXXXX` whose backslash is at `at` names a NUL or a surrogate. */
const isOddEscape = (bytes: Buffer, at: number): boolean => {
  if (bytes[at + 1] !== letterU) return false;
  const [first, second] = [bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  // Surrogates are D800 to DFFF. The digits from `8` and the letters follow `8` in ASCII.
  if ((first | lowerCaseBit) === 0x64) return second >= 0x38;
  return first === zero && second === zero && bytes[at + 4] === zero && bytes[at + 5] === zero;
};

/** Returns true for `[` and `{`, which differ in one bit. */
const isOpening = (byte: number): boolean => (byte | lowerCaseBit) === 0x7b;
const isClosing = (byte: number): boolean => (byte | lowerCaseBit) === 0x7d;

/**
 * Finds the next place of one byte, for places that only increase. Each byte of the text is
 * searched once.
 */
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

/** Finds the ends of strings, and records whether an escape was odd. */
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
 * Scans the bytes of a JSON text before they are parsed. It limits the depth of nesting and the
 * number of values at any depth, without the outermost value. A parser would build the whole value
 * first, which takes half a second for 2 MB of brackets. The parser later detects a text that is
 * not JSON.
 */
export const scanJson = (bytes: Buffer, { maxDepth, maxValues }: ShapeLimits): Scanned => {
  const strings = createStringWalk(bytes);
  const { length } = bytes;
  let depth = 0;
  let values = 0;
  // True between an opening bracket and its first value, which no comma precedes.
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
