import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors/app-error.ts';
import { scanJson, type ShapeLimits } from './scan-json.ts';

/** A body as its parser left it. `isPlain` says that no text of it needs to be looked at again. */
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

/** The bounds of every API unless it is given others (contract: limits > Sizes). */
export const usualShape: ShapeLimits = { maxDepth: 32, maxValues: 10_000 };

const json = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/iu;
const charsetOf = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]*))/iu;

/** Returns true for a content type that names no other charset than UTF-8. */
export const isUtf8Type = (contentType = ''): boolean => {
  const named = charsetOf.exec(contentType);
  return named === null || /^utf-?8$/iu.test(named[1] ?? named[2] ?? '');
};

/** JSON is always UTF-8 (RFC 8259), so a type that names another charset is refused. */
const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && json.test(contentType) && isUtf8Type(contentType);

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Leaves out the mark that some clients begin a text with. */
export const withoutMark = (bytes: Buffer): Buffer =>
  byteOrderMark.every((byte, at) => bytes[at] === byte) ? bytes.subarray(3) : bytes;

const noneUnlike = { limits: usualShape };

/**
 * Reads the bytes of a JSON text. They must be UTF-8, and within the limits of its shape before
 * anything parses them.
 * @throws AppError MALFORMED_JSON
 */
export const readJsonBytes = (
  bytes: Buffer,
  { limits, onBound }: ShapeOptions = noneUnlike,
): { readonly value: unknown; readonly isPlain: boolean } => {
  if (!isUtf8(bytes)) {
    throw new AppError('MALFORMED_JSON', { message: 'The request body is not valid UTF-8.' });
  }
  const text = withoutMark(bytes);
  const { refusal, hasOddEscape } = scanJson(text, limits);
  if (refusal !== undefined) {
    onBound?.(`body_${refusal}`);
    const { maxDepth, maxValues } = limits;
    const most =
      refusal === 'depth'
        ? `be nested at most ${maxDepth} levels deep`
        : `hold at most ${maxValues} values`;
    throw new AppError('MALFORMED_JSON', { message: `The request body may ${most}.` });
  }
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    return { value, isPlain: !hasOddEscape };
  } catch (cause) {
    throw new AppError('MALFORMED_JSON', { cause });
  }
};

/**
 * Parses a JSON body. An error is returned and not thrown, since a gate may come before it. Bytes
 * without a content type are refused: any page of any site could have a browser send them.
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
