import express, { type RequestHandler } from 'express';
import type { z } from 'zod';
import { AppError, type FieldIssue } from '../errors/app-error.ts';

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

type ParsedBody = { readonly value: unknown } | { readonly problem: AppError };

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

interface Schemas<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params?: P | undefined;
  readonly query?: Q | undefined;
  readonly body?: B | undefined;
}

interface Unvalidated {
  readonly params: unknown;
  readonly query: unknown;
  readonly parsedBody: unknown;
}

/** Says "is required" of a missing field, where the schema library speaks of types. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
    ? 'is required'
    : issue.message;

const issuesOf = (error: z.ZodError, root: string): FieldIssue[] =>
  error.issues.map((issue) => ({
    field: issue.path.length === 0 ? root : issue.path.map(String).join('.'),
    message: messageOf(issue),
  }));

/** A NUL character, which no text column takes, or half a surrogate pair, which no `jsonb` does. */
const unstorable = /[\0\p{Cs}]/u;

/**
 * Returns the dotted path of the first text that PostgreSQL can't store, in values or in keys; undefined
 * where all is well. Iterative: hostile nesting must not exhaust the stack.
 */
const findUnstorable = (root: unknown): string | undefined => {
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

const unstorableMessage = 'must not contain a NUL character or half of a surrogate pair';

const check = (
  schema: z.ZodType | undefined,
  value: unknown,
  root: string,
): { value: unknown; issues: FieldIssue[] } => {
  if (schema === undefined) return { value: undefined, issues: [] };
  const unstorable = findUnstorable(value);
  if (unstorable !== undefined) {
    const field = unstorable === '' ? root : unstorable;
    return { value: undefined, issues: [{ field, message: unstorableMessage }] };
  }
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { value: parsed.data, issues: [] }
    : { value: undefined, issues: issuesOf(parsed.error, root) };
};

/** The 400 that names the first offending field and lists all of them. */
export const validationError = (issues: readonly FieldIssue[]): AppError => {
  const [first] = issues;
  return new AppError('VALIDATION_FAILED', {
    details: issues,
    ...(first !== undefined && { field: first.field, message: `${first.field}: ${first.message}` }),
  });
};

const bodyOf = (parsedBody: unknown): unknown => (parsedBody === undefined ? {} : parsedBody);

/** Parses a body alone; returns the refusal where it does not fit, for a gate may come before it. */
export const checkBody = <B extends z.ZodType>(
  schema: B,
  parsedBody: unknown,
): { readonly body: z.output<B> } | AppError => {
  const { value, issues } = check(schema, bodyOf(parsedBody), 'body');
  // The value was parsed by the schema of its type.
  return issues.length > 0 ? validationError(issues) : { body: value as z.output<B> };
};

/**
 * Parses params, query and body. A malformed id in a path is a resource that does not exist.
 * @throws AppError NOT_FOUND for params, VALIDATION_FAILED for query and body together.
 */
export const validateInput = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  schemas: Schemas<P, Q, B>,
  input: Unvalidated,
): { params: z.output<P>; query: z.output<Q>; body: z.output<B> } => {
  const params = check(schemas.params, input.params, 'path');
  if (params.issues.length > 0) throw new AppError('NOT_FOUND');
  const query = check(schemas.query, input.query, 'query');
  const body = check(schemas.body, bodyOf(input.parsedBody), 'body');
  const issues = [...query.issues, ...body.issues];
  if (issues.length > 0) throw validationError(issues);
  // Each value was parsed by the schema of its type; where there is none, nobody reads it.
  return {
    params: params.value as z.output<P>,
    query: query.value as z.output<Q>,
    body: body.value as z.output<B>,
  };
};
