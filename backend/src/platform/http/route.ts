import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ErrorCode } from '../../errors/error-table.ts';
import { AppError, type FieldIssue } from '../errors/app-error.ts';
import type { Idempotency, KeyedRequest } from '../idempotency/index.ts';
import type { Access } from './access.ts';
import type { Reply } from './reply.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request apart from its input. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the client has left without waiting for the reply. */
  readonly clientGone: AbortSignal;
}

/** A request as the kernel read it, before validation. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  /** The exact bytes; empty where there was no body. */
  readonly rawBody: Buffer;
  /** The parsed JSON; undefined for an empty or malformed body and on `rawBody` routes. */
  readonly parsedBody: unknown;
  /** Refuses a body that is no JSON; thrown where the order of refusals has come to the body. */
  readonly bodyProblem: AppError | undefined;
  readonly principal: unknown;
  readonly context: RequestContext;
}

interface RouteInput<Principal, Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly rawBody: Buffer;
  readonly principal: Principal;
  readonly context: RequestContext;
}

/** Declares how a route takes idempotency keys, and what comes before its body is refused. */
interface IdempotentSpec<Principal, Body> {
  readonly keys: Pick<Idempotency, 'findReplay'>;
  /** Scopes the keys: a key of one operation is free for another. */
  readonly operation: string;
  readonly owner: (principal: Principal) => string;
  readonly key: (body: Body) => string;
  /** The parsed body without its key: what a repeat of the key must repeat. */
  readonly payload: (body: Body) => object;
  /** Replies to a repeat of a finished key with what the key made, as it is now. */
  readonly replay: (resourceId: string, principal: Principal) => Promise<Reply>;
  /** @throws AppError while the operation is closed; a finished key is replayed all the same */
  readonly gate: () => Promise<void>;
}

interface RawContent {
  readonly type: string;
  /** Of JSON; text where there is none. Documents alone: the handler reads the bytes. */
  readonly schema?: z.ZodType;
}

interface RouteShape {
  readonly method: Method;
  /** Below the API's prefix, with `:name` parameters. */
  readonly path: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** A schema for each status of success; null for one without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** Codes beyond those that every route can answer with. */
  readonly errors?: readonly ErrorCode[];
  readonly rateLimit?: 'exempt';
  readonly bodyLimitBytes?: number;
  /** The handler wants the bytes alone (a signature covers them): no JSON parsing, no schema. */
  readonly rawBody?: true;
  /** Describes the body of a `rawBody` route by content type; a signed body unless told. */
  readonly consumes?: { readonly description: string; readonly content: readonly RawContent[] };
  /** The content types of its 200 where that is no JSON; `responses` has null for it. */
  readonly produces?: readonly string[];
  /**
   * The reply where it is at hand, without a promise; undefined sends the request to `handler`.
   * For the hottest public GET routes without input; asked after the rate limit.
   */
  readonly atHand?: () => Reply | undefined;
}

interface RouteSpec<
  Principal,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
> extends RouteShape {
  readonly access: Access<Principal>;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly handler: (
    input: RouteInput<Principal, z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<Reply>;
}

interface IdempotentRouteSpec<Principal, B extends z.ZodType> extends RouteShape {
  readonly access: Access<Principal>;
  readonly body: B;
  readonly idempotent: IdempotentSpec<Principal, z.output<B>>;
  readonly handler: (
    input: RouteInput<Principal, unknown, unknown, z.output<B>> & { readonly keyed: KeyedRequest },
  ) => Promise<Reply>;
}

/** A declared route with its types closed over: what the kernel mounts and documents. */
export interface Route extends RouteShape {
  readonly access: Access<unknown>;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /**
   * Validates and runs.
   * @throws AppError VALIDATION_FAILED, NOT_FOUND, or what the handler throws.
   */
  readonly run: (input: RawInput) => Promise<Reply>;
}

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

const unstorableMessage = 'must not contain a NUL character or half of a surrogate pair';

/** The most values, of any depth, in one body (contract: limits > Sizes). */
const maxValues = 10_000;

/** An object or array that is being walked, at its next child. */
interface Frame {
  readonly children: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
  next: number;
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const keysOf = (container: Readonly<Record<string, unknown>>): readonly string[] | undefined => {
  if (Array.isArray(container) && container.length > maxValues) return undefined;
  return Object.keys(container);
};

/**
 * Returns what is wrong with an input before its schema is asked: a text that PostgreSQL can't
 * store, in values or in keys, or more values than any body has. The schema would describe each of
 * a million wrong values, which takes more memory than a process has. The walk itself holds one
 * frame for each depth, so that hostile nesting and hostile length exhaust neither stack nor
 * memory.
 */
const findProblem = (root: unknown): FieldIssue | undefined => {
  const frames: Frame[] = [];
  const path = (): string => frames.map(({ keys, next }) => keys[next - 1] ?? '').join('.');
  const tooMany = { field: '', message: `must not hold more than ${maxValues} values` };
  let values = 0;
  const visit = (value: unknown): FieldIssue | undefined => {
    if (typeof value === 'string' && unstorable.test(value)) {
      return { field: path(), message: unstorableMessage };
    }
    if (!isContainer(value)) return undefined;
    const keys = keysOf(value);
    values += keys?.length ?? 0;
    if (keys === undefined || values > maxValues) return tooMany;
    frames.push({ children: value, keys, next: 0 });
    return undefined;
  };
  let problem = visit(root);
  for (let top = frames.at(-1); problem === undefined && top !== undefined; top = frames.at(-1)) {
    const key = top.keys[top.next];
    if (key === undefined) {
      frames.pop();
    } else if (unstorable.test(key)) {
      frames.pop();
      problem = { field: path(), message: unstorableMessage };
    } else {
      top.next += 1;
      problem = visit(top.children[key]);
    }
  }
  return problem;
};

const check = (
  schema: z.ZodType | undefined,
  value: unknown,
  root: string,
): { value: unknown; issues: FieldIssue[] } => {
  if (schema === undefined) return { value: undefined, issues: [] };
  const problem = findProblem(value);
  if (problem !== undefined) {
    return { value: undefined, issues: [{ ...problem, field: problem.field || root }] };
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

/**
 * Parses a body alone; returns the refusal where it does not fit, for a gate may come before it.
 */
const checkBody = <B extends z.ZodType>(
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

/** Declares a route once: this validates, documents, authorises and limits it. */
export const defineRoute = <
  Principal,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
>(
  spec: RouteSpec<Principal, P, Q, B>,
): Route => {
  const { handler, ...shape } = spec;
  return {
    ...shape,
    params: spec.params,
    query: spec.query,
    body: spec.body,
    run: async (input) => {
      if (input.bodyProblem !== undefined) throw input.bodyProblem;
      const { params, query, body } = validateInput<P, Q, B>(spec, input);
      const { rawBody, context } = input;
      const principal = input.principal as Principal; // made by the guard for exactly this access
      return handler({ params, query, body, rawBody, principal, context });
    },
  };
};

/**
 * Declares a route that moves money and takes idempotency keys. Its refusals come in this order:
 * the replay of a finished key, the gate, the body. A malformed body meets the gate first.
 */
export const defineIdempotentRoute = <Principal, B extends z.ZodType>(
  spec: IdempotentRouteSpec<Principal, B>,
): Route => {
  const { handler, idempotent, ...shape } = spec;
  const { keys, operation, owner, key, payload, replay, gate } = idempotent;

  const keyedOf = (principal: Principal, body: z.output<B>): KeyedRequest => ({
    scope: { ownerId: owner(principal), operation, key: key(body) },
    payload: payload(body),
  });

  return {
    ...shape,
    params: undefined,
    query: undefined,
    body: spec.body,
    run: async (input) => {
      const { rawBody, context, bodyProblem } = input;
      const principal = input.principal as Principal; // made by the guard for exactly this access
      const read = bodyProblem ?? checkBody(spec.body, input.parsedBody);
      if (read instanceof AppError) {
        await gate();
        throw read;
      }
      const { body } = read;
      const keyed = keyedOf(principal, body);
      const resourceId = await keys.findReplay(keyed.scope, keyed.payload);
      if (resourceId !== undefined) return replay(resourceId, principal);
      await gate();
      return handler({ params: {}, query: {}, body, rawBody, principal, context, keyed });
    },
  };
};

const codesWhen = (isSo: boolean, ...codes: readonly ErrorCode[]): readonly ErrorCode[] =>
  isSo ? codes : [];

/** Returns the code of every error that a route may answer: its own, and what its form brings. */
export const declaredErrors = (route: Route): ReadonlySet<ErrorCode> => {
  const { access, params, query, body } = route;
  // Also where no body is asked for: one that came all the same is read, and has to be JSON.
  const readsJson = route.method !== 'GET' && route.rawBody !== true;
  return new Set<ErrorCode>([
    'INTERNAL',
    ...codesWhen(route.rateLimit !== 'exempt', 'RATE_LIMITED'),
    ...codesWhen(access.kind !== 'public', 'UNAUTHENTICATED'),
    ...codesWhen(access.kind === 'roles', 'FORBIDDEN'),
    ...codesWhen(access.kind === 'permission', 'PERMISSION_DENIED'),
    ...codesWhen(access.write === true, 'READ_ONLY_MODE'),
    ...codesWhen(params !== undefined, 'NOT_FOUND'),
    ...codesWhen(query !== undefined || body !== undefined, 'VALIDATION_FAILED'),
    ...codesWhen(readsJson, 'MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
    ...codesWhen(route.rawBody === true, 'PAYLOAD_TOO_LARGE'),
    ...(route.errors ?? []),
  ]);
};
