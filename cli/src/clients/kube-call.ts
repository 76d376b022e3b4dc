import { ApiException } from '@kubernetes/client-node';
import { z } from 'zod';
import { CliError, exitCodes } from '../cli-error.ts';

/** The time limit in ms of a response of the API server. */
export const callTimeoutMs = 15_000;

/** The body of the API server's refusals. */
const statusBody = z.object({ message: z.string() });

const messageIn = (body: unknown): string | undefined => {
  if (typeof body !== 'string') return undefined;
  try {
    return statusBody.safeParse(JSON.parse(body)).data?.message;
  } catch {
    return undefined;
  }
};

/** A refusal of the API server, with the status by which callers distinguish refusals. */
export class KubeRefusal extends CliError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message, ...codeAndHint(status));
    this.status = status;
  }
}

const codeAndHint = (status: number): [CliError['exitCode'], string | undefined] => {
  if (status === 401) {
    return [
      exitCodes.denied,
      'The cluster does not accept your credentials: renew them in the kubeconfig.',
    ];
  }
  if (status === 403) {
    return [
      exitCodes.denied,
      '"goldctl help checks rights-in-a-cluster" lists the rights that each command needs.',
    ];
  }
  if (status === 429 || status >= 500) return [exitCodes.unreachable, 'Try again in a moment.'];
  return [exitCodes.failed, undefined];
};

/**
 * Runs a call of the cluster.
 * @throws CliError that names the purpose of the failed call
 */
export type KubeCall = <T>(purpose: string, work: () => Promise<T>) => Promise<T>;

/** Returns the innermost cause of an error. The errors of `fetch` only say that the call failed. */
const origin = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? origin(error.cause) : error;

const describe = (error: unknown): string => {
  const first = origin(error);
  return first instanceof Error && first.message !== '' ? first.message : String(first);
};

/** Returns true for the errors by which the library and its socket report that there is no response. */
const isSilence = (error: unknown): boolean => {
  const first = origin(error);
  return (
    first instanceof Error &&
    (['AbortError', 'TimeoutError'].includes(first.name) ||
      ('code' in first && typeof first.code === 'string'))
  );
};

/** Creates the function that runs calls and converts all their errors to a CliError. */
export const createKubeCall =
  (options: { readonly server: string; readonly signal: AbortSignal }): KubeCall =>
  async (purpose, work) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CliError || options.signal.aborted) throw error;
      if (error instanceof ApiException) {
        const reason = messageIn(error.body) ?? `the API server answered ${error.code}`;
        throw new KubeRefusal(error.code, `cannot ${purpose}: ${reason}`);
      }
      if (isSilence(error)) {
        throw new CliError(
          `cannot ${purpose}: ${options.server} does not answer (${describe(error)})`,
          exitCodes.unreachable,
          'Is the cluster up, and is this the right --context?',
        );
      }
      throw new CliError(`cannot ${purpose}: ${describe(error)}`, exitCodes.failed);
    }
  };
