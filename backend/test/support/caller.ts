export type Json = Readonly<Record<string, unknown>>;

/** The response to a call. */
export interface Answer<Body = Json> {
  readonly status: number;
  /** The parsed JSON, or empty if there was no body. */
  readonly body: Body;
  readonly headers: Headers;
  /** The `code` of the error envelope, or undefined for a success. */
  readonly code: unknown;
  /** The `field` of the error envelope. */
  readonly field: unknown;
}

/** Calls an API as a client. */
export interface Caller<Body = Json> {
  (method: string, path: string, body?: unknown): Promise<Answer<Body>>;
}

/** An answer whose body has no type, so that a test can read any field of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type UntypedAnswer = Answer<any>;
// oxlint-disable-next-line typescript/no-explicit-any
export type UntypedCaller = Caller<any>;

/** Returns the status of a response with the code of its error, which a success does not have. */
export const codeOf = ({ status, code }: UntypedAnswer): readonly [number, unknown] => [
  status,
  code,
];

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const parse = (text: string): Json => {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
};

/** A caller of `base` with these headers. A body that is text is sent as it is. */
export const createCaller =
  (base: string, headers: Readonly<Record<string, string>> = {}): Caller =>
  async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    // A file is no answer to look into here.
    const isFile = /^(?:text\/|application\/pdf)/u.test(response.headers.get('content-type') ?? '');
    const parsed = isFile ? {} : parse(text);
    const error = isRecord(parsed['error']) ? parsed['error'] : {};
    return {
      status: response.status,
      body: parsed,
      headers: response.headers,
      code: error['code'],
      field: error['field'],
    };
  };

/** A caller with an `Authorization: Bearer` header. */
export const bearerCaller = (base: string, token?: string): Caller =>
  createCaller(base, token === undefined ? {} : { authorization: `Bearer ${token}` });
