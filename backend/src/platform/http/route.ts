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

/** The details of a request that are not its validated input. */
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
  /**
   * True if the parser has already ruled out characters that the database cannot store. The body is
   * then not searched for them before its schema is checked.
   */
  readonly isPlainBody: boolean;
  /** The error of a body that is not JSON. It is thrown only after the earlier refusals. */
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

/** Declares how a route uses idempotency keys, and its checks before a key is taken. */
interface IdempotentSpec<Principal, Body, Together extends Reads> {
  readonly keys: Pick<Idempotency, 'findReplay' | 'run'> &
    Partial<Pick<Idempotency, 'findReplayAndRead'>>;
  /** Scopes the keys. The same key may be used again for another operation. */
  readonly operation: string;
  readonly owner: (principal: Principal) => string;
  readonly key: (body: Body) => string;
  /** Returns the part of the body that must be the same in every request with the same key. */
  readonly payload: (body: Body) => object;
  /**
   * Replies to a repeated request whose key is finished. The reply has the resource that the key
   * created, in its current state.
   */
  readonly replay: (resourceId: string, principal: Principal) => Promise<Reply>;
  /**
   * Gets the value of `gateRead` if it was read. A finished key is replayed without this check.
   * @throws AppError while the operation is closed
   */
  readonly gate: (isReady?: boolean) => Promise<void>;
  /**
   * Reads the row that the gate needs for its decision. The row is read in the same query as the key,
   * so it costs no additional query.
   */
  readonly gateRead?: () => Read<boolean>;
  /** Checks rules that the schema cannot express, before the key is taken. @throws AppError */
  readonly check?: (body: Body) => void;
  /** Returns reads for the handler. They run in the same statement that takes the key. */
  readonly reads?: (principal: Principal, body: Body) => Together;
  /**
   * Serialises requests with the same key before they take it. A repeat then waits here, not in the
   * database, while the first request runs. If its wait here ends without a turn, it calls `run` with
   * `mayWait: false`, so that it does not wait again.
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
  /** The path below the API's prefix, with `:name` parameters. */
  readonly path: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** The schema of each success status, or null for a status without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** Error codes in addition to those that `declaredErrors` derives from the declaration. */
  readonly errors?: readonly ErrorCode[];
  readonly rateLimit?: 'exempt';
  readonly bodyLimitBytes?: number;
  /**
   * The body is signed. Its default size limit is the one of webhooks. If an address was refused too
   * often, its further requests are refused before their bodies are read.
   */
  readonly isSigned?: true;
  /**
   * The handler gets only the bytes, because a signature covers them. No JSON is parsed and there
   * is no schema.
   */
  readonly rawBody?: true;
  /** Describes the body of a `rawBody` route by content type. The default is a signed body. */
  readonly consumes?: { readonly description: string; readonly content: readonly RawContent[] };
  /** Content types of the 200 response besides JSON. If it is never JSON, `responses` has null. */
  readonly produces?: readonly string[];
  /**
   * Returns a reply from memory, without a promise. If it returns undefined, the request goes to
   * `handler`. It is called after the rate limit. Use it only for the most requested public GET
   * routes, which have no input except the headers.
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
  /** Does the work once for each key. It resumes the work if `key.resourceId` is set. */
  readonly handler: (
    input: RouteInput<Principal, unknown, unknown, z.output<B>> & {
      readonly key: HeldKey<ReadValues<Together>>;
    },
  ) => Promise<Reply>;
}

/** A declared route without type parameters, as the kernel mounts and documents it. */
export interface Route extends RouteShape {
  readonly access: Access<unknown>;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /**
   * Validates the input and runs the handler.
   * @throws AppError VALIDATION_FAILED, NOT_FOUND, or an error of the handler.
   */
  readonly run: (input: RawInput) => Promise<Reply>;
}

/** Declares a route. Validation, documentation, access and rate limits follow from `spec`. */
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
      const principal = input.principal as Principal; // the guard of this `access` made it
      return handler({ params, query, body, rawBody, principal, context });
    },
  };
};

/**
 * Declares a route that moves money and requires an idempotency key (contract: conventions >
 * Idempotency). A finished key is replayed first. Otherwise the gate is checked, then the body, and
 * then the key is taken. So an invalid body is refused only while the gate is open. The handler gets
 * the key that its request holds.
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
      const principal = input.principal as Principal; // the guard of this `access` made it
      const checked = bodyProblem ?? checkBody(spec.body, input);
      if (checked instanceof AppError) {
        await gate();
        throw checked;
      }
      const { body } = checked;
      const { operation } = idempotent;
      const scope = { ownerId: idempotent.owner(principal), operation, key: idempotent.key(body) };
      const payload = idempotent.payload(body);
      const { resourceId: replayedId, value } = await find(scope, payload);
      if (replayedId !== undefined) return replay(replayedId, principal);
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

/** Returns every error code that a route may answer with. Most follow from its declaration. */
export const declaredErrors = (route: Route): ReadonlySet<ErrorCode> => {
  const { access, params, query, body } = route;
  // This includes routes that declare no body. If a client sends one, it is read and must be JSON.
  const readsBody = route.method !== 'GET';
  const readsJson = readsBody && route.rawBody !== true;
  return new Set<ErrorCode>([
    'INTERNAL',
    // A request may wait too long for a locked row, or for memory to read its body.
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
