import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ErrorCode } from '../errors/error-table.ts';
import type { Access } from './access.ts';
import type { Reply } from './reply.ts';
import { validateInput } from './validate-input.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What is known of a request besides its input. */
export interface RequestContext {
  readonly requestId: string;
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request as the kernel read it, before validation. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  /** The exact bytes; empty where there was no body. */
  readonly rawBody: Buffer;
  /** The parsed JSON; undefined for an empty or malformed body and on `rawBody` routes. */
  readonly parsedBody: unknown;
  readonly principal: unknown;
  readonly context: RequestContext;
}

/** What a `before` step sees: the caller is known, the input is not yet validated. */
export interface EarlyInput<Principal> {
  readonly principal: Principal;
  readonly parsedBody: unknown;
  readonly context: RequestContext;
}

export interface RouteInput<Principal, Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly rawBody: Buffer;
  readonly principal: Principal;
  readonly context: RequestContext;
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
  /**
   * The reply where it is at hand, without a promise; undefined sends the request to `handler`.
   * For the hottest public GET routes without input; asked after the rate limit.
   */
  readonly atHand?: () => Reply | undefined;
}

export interface RouteSpec<
  Principal,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
> extends RouteShape {
  readonly access: Access<Principal>;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /**
   * After authentication and before validation: where the order of refusals wants a replay or a
   * gate ahead of a 400 (decisions, section 1). A reply ends the request.
   */
  readonly before?: (input: EarlyInput<Principal>) => Promise<Reply | undefined>;
  readonly handler: (
    input: RouteInput<Principal, z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<Reply>;
}

/** A declared route with its types closed over: what the kernel mounts and documents. */
export interface Route extends RouteShape {
  readonly access: Access<unknown>;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly before: ((input: RawInput) => Promise<Reply | undefined>) | undefined;
  /** Validates and runs. @throws AppError VALIDATION_FAILED, NOT_FOUND, or what the handler throws. */
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
  const { before, handler, ...shape } = spec;
  // The API's guard made the principal for exactly this access, so it has this type.
  const principalOf = (input: RawInput): Principal => input.principal as Principal;
  return {
    ...shape,
    params: spec.params,
    query: spec.query,
    body: spec.body,
    before:
      before === undefined
        ? undefined
        : ({ parsedBody, context, ...input }) =>
            before({
              principal: principalOf({ parsedBody, context, ...input }),
              parsedBody,
              context,
            }),
    run: async (input) => {
      const { params, query, body } = validateInput<P, Q, B>(spec, input);
      const { rawBody, context } = input;
      return handler({ params, query, body, rawBody, principal: principalOf(input), context });
    },
  };
};
