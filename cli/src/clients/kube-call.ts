import { ApiException, FetchError } from '@kubernetes/client-node';
import { z } from 'zod';
import { CliError, exitCodes } from '../cli-error.ts';

/** For one answer of the API server. */
export const callTimeoutMs = 15_000;

/** What the API server tells of a refusal. */
const statusBody = z.object({ message: z.string() });

const messageIn = (body: unknown): string | undefined => {
  if (typeof body !== 'string') return undefined;
  try {
    return statusBody.safeParse(JSON.parse(body)).data?.message;
  } catch {
    return undefined;
  }
};

/** An answer that is not a success, as far as callers must tell one from another. */
export class KubeRefusal extends CliError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message, ...codeAndHint(status));
    this.status = status;
  }
}

const codeAndHint = (status: number): [CliError['exitCode'], string | undefined] => {
  if (status === 401) {
    return [exitCodes.denied, 'The cluster does not know you: renew the kubeconfig’s credentials.'];
  }
  if (status === 403) {
    return [exitCodes.denied, 'docs/checks.md lists the rights that each command needs.'];
  }
  if (status === 429 || status >= 500) return [exitCodes.unreachable, 'Try again in a moment.'];
  return [exitCodes.failed, undefined];
};

/** Runs one call of the cluster; says what it was for when it fails. @throws CliError */
export type KubeCall = <T>(purpose: string, work: () => Promise<T>) => Promise<T>;

const describe = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : String(error);

/** How the library and the socket below it say that nobody answers. */
const isSilence = (error: unknown): boolean =>
  error instanceof FetchError ||
  (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name)) ||
  (error instanceof Error && 'code' in error && typeof error.code === 'string');

/** Turns whatever a call throws into what the command ends with. */
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
