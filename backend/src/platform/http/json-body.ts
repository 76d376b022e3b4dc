import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors/app-error.ts';
import { scanJson, type ShapeLimits } from './scan-json.ts';

/**
 * The result of parsing a body. `isPlain` is true if its texts certainly contain no character that
 * can't be stored.
 */
export type ParsedBody =
  | { readonly value: unknown; readonly isPlain: boolean }
  | { readonly problem: AppError };

/** A bound of the shape of bodies, as the metric names it. */
export type ShapeBound = 'body_depth' | 'body_values';

/** The limits of a body, and a callback for a body that exceeds them. */
export interface ShapeOptions {
  readonly limits: ShapeLimits;
  readonly onBound?: (bound: ShapeBound) => void;
}

/** The default bounds of every API (contract: limits > Sizes). */
export const usualShape: ShapeLimits = { maxDepth: 32, maxValues: 10_000 };

const json = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/iu;
const charsetOf = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]*))/iu;

/** Returns true for a content type that names no charset other than UTF-8. */
export const isUtf8Type = (contentType = ''): boolean => {
  const named = charsetOf.exec(contentType);
  return named === null || /^utf-?8$/iu.test(named[1] ?? named[2] ?? '');
};

/**
 * Returns true for a JSON content type. JSON is always UTF-8 (RFC 8259), so a type that names
 * another charset is refused.
 */
const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && json.test(contentType) && isUtf8Type(contentType);

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Returns the bytes without the byte order mark with which some clients begin a text. */
export const withoutMark = (bytes: Buffer): Buffer =>
  byteOrderMark.every((byte, index) => bytes[index] === byte) ? bytes.subarray(3) : bytes;

const usualOptions = { limits: usualShape };

/**
 * Reads the bytes of a JSON text. They must be UTF-8. The limits of the shape are checked before
 * the text is parsed.
 * @throws AppError MALFORMED_JSON
 */
export const readJsonBytes = (
  bytes: Buffer,
  { limits, onBound }: ShapeOptions = usualOptions,
): { readonly value: unknown; readonly isPlain: boolean } => {
  if (!isUtf8(bytes)) {
    throw new AppError('MALFORMED_JSON', { message: 'The request body is not valid UTF-8.' });
  }
  const text = withoutMark(bytes);
  const { refusal, hasOddEscape } = scanJson(text, limits);
  if (refusal !== undefined) {
    onBound?.(`body_${refusal}`);
    const { maxDepth, maxValues } = limits;
    const limit =
      refusal === 'depth'
        ? `be nested at most ${maxDepth} levels deep`
        : `hold at most ${maxValues} values`;
    throw new AppError('MALFORMED_JSON', { message: `The request body may ${limit}.` });
  }
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    return { value, isPlain: !hasOddEscape };
  } catch (cause) {
    throw new AppError('MALFORMED_JSON', { cause });
  }
};

/**
 * Parses a JSON body. An error is returned and not thrown, since a gate may have to be checked
 * first. Bytes without a content type are refused, since a page of any site could make a browser
 * send them.
 */
export const parseJsonBody = (
  bytes: Buffer,
  contentType: string | undefined,
  shape?: ShapeOptions,
): ParsedBody => {
  if (bytes.length === 0) return { value: undefined, isPlain: true };
  if (!isJson(contentType)) return { problem: new AppError('UNSUPPORTED_MEDIA_TYPE') };
  try {
    return readJsonBytes(bytes, shape);
  } catch (error) {
    if (error instanceof AppError) return { problem: error };
    throw error;
  }
};
