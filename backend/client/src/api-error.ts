interface Envelope {
  readonly code?: string;
  readonly message?: string;
  readonly field?: string;
  readonly details?: unknown;
  readonly requestId?: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Whatever of the envelope is there and is text: something else than the API may have answered. */
const readEnvelope = (body: unknown): Envelope => {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
  const text = (name: string) => {
    const value = error[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  return {
    ...text('code'),
    ...text('message'),
    ...text('field'),
    ...text('requestId'),
    details: error['details'],
  };
};

/** A call that an API refused, or that something else than the API answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The refused call, such as `POST /v1/gold/buy`. */
  readonly call: string;
  readonly status: number;
  /** The stable code to branch on, or undefined when it was not the API that answered. */
  readonly code: string | undefined;
  /** The first invalid input, as a dotted path. */
  readonly field: string | undefined;
  readonly details: unknown;
  /** The id of the request in the logs of the service. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    { call, baseUrl }: { readonly call: string; readonly baseUrl: string },
    response: Pick<Response, 'status' | 'headers'>,
    body: unknown,
  ) {
    const { code, message, field, details, requestId } = readEnvelope(body);
    super(message ?? `the response of ${baseUrl} is not that of the API (${response.status})`);
    this.call = call;
    this.status = response.status;
    this.code = code;
    this.field = field;
    this.details = details;
    this.requestId = requestId;
    const retryAfter = response.headers.get('retry-after') ?? '';
    this.retryAfterSeconds = /^\d{1,9}$/u.test(retryAfter) ? Number(retryAfter) : undefined;
  }
}

/** A call without a response: refused, timed out, cancelled. Whether it took effect is unknown. */
export class ApiUnreachableError extends Error {
  override readonly name = 'ApiUnreachableError';
  readonly baseUrl: string;

  constructor(baseUrl: string, error: unknown) {
    // fetch itself only says that it failed.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    super(
      `${baseUrl} does not respond: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause: error,
      },
    );
    this.baseUrl = baseUrl;
  }
}
