import type { Logger } from '../observability/logger.ts';

export interface ReadinessCheck {
  readonly name: string;
  /** False for a check that is reported but never fails readiness, such as the cache's. */
  readonly isRequired: boolean;
  /** Rejects if the check fails. */
  readonly check: () => Promise<unknown>;
}

type ReadinessStatus = 'ok' | 'unavailable' | 'draining';

export interface ReadinessReport {
  readonly status: ReadinessStatus;
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

interface ReadinessOptions {
  readonly checks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  readonly logger: Logger;
  /** The time after which a check without a result has failed. */
  readonly timeoutMs?: number;
}

const inTime = async (work: Promise<unknown>, timeoutMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Creates the function that runs all checks in parallel. The result of a check is logged when it
 * changes, not at every probe.
 */
export const createReadiness = (options: ReadinessOptions): (() => Promise<ReadinessReport>) => {
  const { checks, isDraining, logger, timeoutMs = 2000 } = options;
  const failing = new Set<string>();

  const runCheck = async ({ name, check }: ReadinessCheck): Promise<readonly [string, boolean]> => {
    try {
      await inTime(check(), timeoutMs);
      if (failing.delete(name)) logger.info({ check: name }, 'readiness check passes again');
      return [name, true];
    } catch (error) {
      if (!failing.has(name)) logger.warn({ err: error, check: name }, 'readiness check failed');
      failing.add(name);
      return [name, false];
    }
  };

  return async () => {
    const results = new Map(await Promise.all(checks.map(runCheck)));
    const areRequiredOk = checks.every(
      (check) => !check.isRequired || results.get(check.name) === true,
    );
    const statuses = [...results].map(([name, ok]) => [name, ok ? 'ok' : 'failed'] as const);
    const status = areRequiredOk ? 'ok' : 'unavailable';
    return {
      status: isDraining() ? 'draining' : status,
      checks: Object.fromEntries(statuses),
    };
  };
};
