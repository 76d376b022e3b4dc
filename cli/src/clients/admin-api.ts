import {
  ApiError,
  ApiUnreachableError,
  createAdminClient,
  type AdminClient,
  type AdminSchemas,
  type Answer,
} from '@digital-gold/client';
import { z } from 'zod';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';

const exitCodeOf = (status: number): ExitCode =>
  status === 401 || status === 403 ? exitCodes.denied : exitCodes.failed;

const hintOf = ({ code, retryAfterSeconds, requestId }: ApiError): string | undefined => {
  if (code === 'UNAUTHENTICATED') return 'Sign in with "goldctl login".';
  if (code === 'SECOND_FACTOR_NOT_ENROLLED') {
    return 'Sign in with "goldctl login", then set it up with "goldctl second-factor enrol".';
  }
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return requestId === undefined ? undefined : `The logs have it under request ID ${requestId}.`;
};

/** Ends a command with the error of the admin API, or of a proxy that answered in its place. */
export class RefusalError extends CliError {
  /** The stable code of the API's error table. Undefined if the API did not answer. */
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(refusal: ApiError, baseUrl: string) {
    const { status, code } = refusal;
    const message =
      code === undefined ? `${baseUrl} did not return an API response` : refusal.message;
    super(`${message} (${code ?? `HTTP ${status}`})`, exitCodeOf(status), hintOf(refusal));
    this.code = code;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

const unreachable = (baseUrl: string, { cause: error }: ApiUnreachableError): CliError => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CliError(`${baseUrl} does not answer: ${reason}`, exitCodes.unreachable);
};

const problemsOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`)
    .join('; ');

/**
 * Sends a request with the client of the admin API, and returns the body of the response parsed by
 * `form`. The types compare the form with the API's document. The response is parsed too, because the
 * API may be of another version. A loose form keeps unknown fields for the output as JSON.
 * @throws RefusalError if the API refuses
 * @throws CliError unreachable if there is no response, failed for a response of another form
 */
export type AdminApi = <Form extends z.ZodType>(
  form: Form,
  send: (client: AdminClient) => Promise<Answer<z.input<Form> | AdminSchemas['Approval']>>,
) => Promise<z.output<Form>>;

const waitingForm = z.object({ approvalId: z.string(), status: z.literal('PENDING') });

/**
 * Ends a command whose change waits for the approval of another operator. The exit code is that of
 * success, because the request for approval was made.
 */
const stopAtRequest = (body: unknown): void => {
  const waiting = waitingForm.safeParse(body);
  if (!waiting.success) return;
  throw new CliError(
    'requested: another operator must approve it, and nothing was changed yet',
    exitCodes.done,
    `They do it with "goldctl approval approve ${waiting.data.approvalId}".`,
  );
};

/** Creates the calls of an admin API. */
export const createAdminApi = (options: {
  /** Host root, without a path. */
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly signal: AbortSignal;
}): AdminApi => {
  const { baseUrl } = options;

  const bodyOf = async (call: Promise<Answer<unknown>>): Promise<unknown> => {
    try {
      return (await call).body;
    } catch (error) {
      if (error instanceof ApiUnreachableError) throw unreachable(baseUrl, error);
      if (!(error instanceof ApiError)) throw error;
      // A success without JSON has no body of the API's form, but is not a refusal.
      if (error.status >= 200 && error.status < 300) return undefined;
      throw new RefusalError(error, baseUrl);
    }
  };

  return async (form, send) => {
    let sent = '';
    const client = createAdminClient({
      ...options,
      fetch: (request) => {
        sent = `${request.method} ${new URL(request.url).pathname}`;
        return fetch(request);
      },
    });
    const body = await bodyOf(send(client));
    const parsed = form.safeParse(body);
    if (!parsed.success) stopAtRequest(body);
    if (parsed.success) return parsed.data;
    throw new CliError(
      `${sent} returned an unexpected response: ${problemsOf(parsed.error)}`,
      exitCodes.failed,
      'goldctl and the API may be different versions.',
    );
  };
};
