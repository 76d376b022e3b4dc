import { z } from 'zod';

/** The processes that serve; each has deployments, pods and probes of its own. */
export const processNames = ['customer', 'admin', 'accounting', 'worker'] as const;
export type ProcessName = (typeof processNames)[number];

/** What a process said of itself, or what was said of it. */
export interface ProcessProbe {
  readonly process: ProcessName;
  /** `silent`: nobody answered. */
  readonly state: 'ready' | 'not-ready' | 'silent';
  /** Each thing that the process needs, by its name; empty where only its state is known. */
  readonly needs: Readonly<Record<string, 'ok' | 'failed'>>;
  readonly detail: string;
}

/** A probe has no reason to take long; its own checks give up after two seconds. */
const probeTimeoutMs = 5000;

const readyz = z.object({
  status: z.string(),
  checks: z.record(z.string(), z.enum(['ok', 'failed'])),
});

const whyOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
};

const stateIn = (process: ProcessName, address: string, body: unknown): ProcessProbe => {
  const report = readyz.safeParse(body);
  if (!report.success) {
    const detail = `${address} answers something else than a readiness report`;
    return { process, state: 'silent', needs: {}, detail };
  }
  const { status, checks } = report.data;
  const failed = Object.keys(checks).filter((name) => checks[name] === 'failed');
  const suffix = failed.length === 0 ? '' : `; failing: ${failed.join(', ')}`;
  return {
    process,
    state: status === 'ok' ? 'ready' : 'not-ready',
    needs: checks,
    detail: `It says ${status}${suffix}.`,
  };
};

const ask = async (url: URL, signal: AbortSignal): Promise<Response> =>
  fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]),
  });

/** Asks a process's `/readyz` at a host root. Throws only when interrupted. */
export const askReadiness = async (
  process: ProcessName,
  address: string,
  signal: AbortSignal,
): Promise<ProcessProbe> => {
  try {
    const answer = await ask(new URL('/readyz', address), signal);
    const text = await answer.text();
    return stateIn(process, address, parseJson(text));
  } catch (error) {
    signal.throwIfAborted();
    const detail = `${address} does not answer: ${whyOf(error)}`;
    return { process, state: 'silent', needs: {}, detail };
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Asks an API's public health route. Throws only when interrupted. */
export const askHealth = async (
  url: URL,
  signal: AbortSignal,
): Promise<{ readonly isWell: boolean; readonly detail: string }> => {
  try {
    const answer = await ask(url, signal);
    await answer.body?.cancel();
    const detail = `${url.href} answers ${answer.status}`;
    return { isWell: answer.status === 200, detail };
  } catch (error) {
    signal.throwIfAborted();
    return { isWell: false, detail: `${url.href} does not answer: ${whyOf(error)}` };
  }
};
