import express, { type RequestHandler } from 'express';
import { AppError } from '../errors/app-error.ts';

/** The body cap of the public edge (contract: limits > Sizes). */
const defaultBodyLimitBytes = 2 * 1024 * 1024;

const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/([\w.+-]+\+)?json\s*(;|$)/iu.test(contentType);

/** Reads the exact bytes of the body, up to `limitBytes`. */
export const readBody = (limitBytes = defaultBodyLimitBytes): RequestHandler =>
  express.raw({ type: () => true, limit: limitBytes });

const noBytes = Buffer.alloc(0);

/** The bytes that `readBody` left; empty where there was no body. */
export const bodyBytes = (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : noBytes);

export type ParsedBody = { readonly value: unknown } | { readonly problem: AppError };

/**
 * Parses a JSON body; what is wrong is handed back, since a gate may come before it. Bytes without
 * a content type are refused: any page of any site could have a browser send them.
 */
export const parseJsonBody = (bytes: Buffer, contentType: string | undefined): ParsedBody => {
  if (bytes.length === 0) return { value: undefined };
  if (!isJson(contentType)) return { problem: new AppError('UNSUPPORTED_MEDIA_TYPE') };
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return { value };
  } catch (cause) {
    return { problem: new AppError('MALFORMED_JSON', { cause }) };
  }
};
