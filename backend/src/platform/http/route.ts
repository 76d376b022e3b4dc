import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ErrorCode } from '../../errors/error-table.ts';
import type { Read, Reads, ReadValues } from '../db/index.ts';
import { AppError } from '../errors/app-error.ts';
import type { HeldKey, Idempotency, KeyScope } from '../idempotency/index.ts';
import type { Access } from './access.ts';
import type { Reply } from './reply.ts';
import { checkBody, validateInput } from './validate-input.ts';

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
  /** The exact bytes, or empty if there was no body. */
  readonly rawBody: Buffer;
  /** The parsed JSON, or undefined for an empty or malformed body and on `rawBody` routes. */
  readonly parsedBody: unknown;
  /** No text of the parsed body needs to be looked at before its schema does. */
  readonly isPlainBody: boolean;
  /**
   * Refuses a body that is not JSON. It is thrown when the order of refusals has come to the body.
   */
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
interface IdempotentSpec<Principal, Body, Together extends Reads> {
  readonly keys: Pick<Idempotency, 'findReplay' | 'run'> &
    Partial<Pick<Idempotency, 'findReplayAndRead'>>;
  /** Scopes the keys: a key of one operation is free for another. */
  readonly operation: string;
  readonly owner: (principal: Principal) => string;
  readonly key: (body: Body) => string;
  /** The parsed body without its key: what a repeat of the key must repeat. */
  readonly payload: (body: Body) => object;
  /**
   * Replies to a repeat of a finished key with the resource that the key made, in its current
   * state.
   */
  readonly replay: (resourceId: string, principal: Principal) => Promise<Reply>;
  /** @throws AppError while the operation is closed, and a finished key is replayed all the same */
  readonly gate: (isReady?: boolean) => Promise<void>;
  /**
   * Reads the row that the gate decides by, if it needs one. Together with the key that needs no
   * additional query.
   */
  readonly gateRead?: () => Read<boolean>;
  /** Refuses a body for what its schema cannot see, before the key is taken. */
  readonly check?: (body: Body) => void;
  /** Reads that the handler begins with, by the statement that takes the key. */
  readonly reads?: (principal: Principal, body: Body) => Together;
  /**
   * Serialises requests with the same key before they take it, for operations for which waiting for
   * the database would cost too much. A request that gets no turn runs all the same, and does not
   * wait again.
   */
  readonly inTurn?: (
    scope: KeyScope,
    run: (options?: { readonly mayWait: boolean }) => Promise<Reply>,
  ) => Promise<Reply>;
}

interface RawContent {
  readonly type: string;
  /** The schema of JSON, absent for text. It is only documentation: the handler reads the bytes. */
  readonly schema?: z.ZodType;
}

interface RouteShape {
  readonly method: Method;
  /** Below the API's prefix, with `:name` parameters. */
  readonly path: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** The schema of each success status, or null for a status without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** Codes in addition to those that every route can answer with. */
  readonly errors?: readonly ErrorCode[];
  readonly rateLimit?: 'exempt';
  readonly bodyLimitBytes?: number;
  /**
   * The body is signed, and the route outside of the rate limit: its cap is the webhooks', and an
   * address that was refused too often is refused before its body is read.
   */
  readonly isSigned?: true;
  /**
   * The handler gets only the bytes, because a signature covers them. No JSON is parsed and there
   * is no schema.
   */
  readonly rawBody?: true;
  /** Describes the body of a `rawBody` route by content type. The default is a signed body. */
  readonly consumes?: { readonly description: string; readonly content: readonly RawContent[] };
  /** The content types of its 200 besides JSON. `responses` has null if there is no JSON. */
  readonly produces?: readonly string[];
  /**
   * Returns the reply if it is in memory, without a promise. If it returns undefined, the request
   * goes to `handler`. For the hottest public GET routes without input but the headers. It is
   * called after the rate limit.
   */
  readonly atHand?: (headers: IncomingHttpHeaders) => Reply | undefined;
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

interface IdempotentRouteSpec<
  Principal,
  B extends z.ZodType,
  Together extends Reads,
> extends RouteShape {
  readonly access: Access<Principal>;
  readonly body: B;
  readonly idempotent: IdempotentSpec<Principal, z.output<B>, Together>;
  /** Does the work once for a key, or resumes it if the key has its resource. */
  readonly handler: (
    input: RouteInput<Principal, unknown, unknown, z.output<B>> & {
      readonly key: HeldKey<ReadValues<Together>>;
    },
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
 * Declares a route that moves money and takes idempotency keys (contract: conventions >
 * Idempotency). Its refusals come in this order: the replay of a finished key, the gate, the body,
 * the key. A malformed body meets the gate first. The handler gets the key that its request holds.
 */
export const defineIdempotentRoute = <
  Principal,
  B extends z.ZodType,
  Together extends Reads = Reads,
>(
  spec: IdempotentRouteSpec<Principal, B, Together>,
): Route => {
  const { handler, idempotent, ...shape } = spec;
  const { keys, gate, gateRead, replay, inTurn = (_scope, run) => run() } = idempotent;

  const find = async (scope: KeyScope, payload: object) =>
    gateRead === undefined || keys.findReplayAndRead === undefined
      ? { resourceId: await keys.findReplay(scope, payload), value: undefined }
      : keys.findReplayAndRead(scope, payload, gateRead());

  return {
    ...shape,
    params: undefined,
    query: undefined,
    body: spec.body,
    run: async (input) => {
      const { rawBody, context, bodyProblem } = input;
      const principal = input.principal as Principal; // made by the guard for exactly this access
      const read = bodyProblem ?? checkBody(spec.body, input);
      if (read instanceof AppError) {
        await gate();
        throw read;
      }
      const { body } = read;
      const { operation } = idempotent;
      const scope = { ownerId: idempotent.owner(principal), operation, key: idempotent.key(body) };
      const payload = idempotent.payload(body);
      const { resourceId: done, value } = await find(scope, payload);
      if (done !== undefined) return replay(done, principal);
      await gate(value);
      idempotent.check?.(body);
      const request = { params: {}, query: {}, body, rawBody, principal, context };
      const reads = idempotent.reads?.(principal, body);
      return inTurn(scope, (options) =>
        keys.run<Reply, Together>(scope, payload, {
          ...options,
          ...(reads !== undefined && { reads }),
          replay: (resourceId) => replay(resourceId, principal),
          work: (claim, resourceId, values) =>
            handler({ ...request, key: { ...claim, resourceId, values } }),
        }),
      );
    },
  };
};

const codesIf = (condition: boolean, ...codes: readonly ErrorCode[]): readonly ErrorCode[] =>
  condition ? codes : [];

/** Returns the code of every error that a route may answer: its own, and what its form brings. */
export const declaredErrors = (route: Route): ReadonlySet<ErrorCode> => {
  const { access, params, query, body } = route;
  // A route without a body does this too: a body that arrives all the same is read, and must be
  // JSON.
  const readsBody = route.method !== 'GET';
  const readsJson = readsBody && route.rawBody !== true;
  return new Set<ErrorCode>([
    'INTERNAL',
    // A request that waits for a locked row, or for room to read a body.
    ...codesIf(route.atHand === undefined, 'BUSY'),
    ...codesIf(route.rateLimit !== 'exempt' || route.isSigned === true, 'RATE_LIMITED'),
    ...codesIf(access.kind !== 'public', 'UNAUTHENTICATED'),
    ...codesIf(access.secondFactor === 'asked', 'SECOND_FACTOR_NOT_ENROLLED'),
    ...codesIf(access.kind === 'roles', 'FORBIDDEN'),
    ...codesIf(access.kind === 'permission', 'PERMISSION_DENIED'),
    ...codesIf(access.write === true, 'READ_ONLY_MODE'),
    ...codesIf(params !== undefined, 'NOT_FOUND'),
    ...codesIf(query !== undefined || body !== undefined, 'VALIDATION_FAILED'),
    ...codesIf(readsJson, 'MALFORMED_JSON'),
    ...codesIf(readsBody, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TIMEOUT'),
    ...(route.errors ?? []),
  ]);
};
