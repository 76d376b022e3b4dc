import { Agent } from 'node:http';
import { sendRequest } from '../tools/send-request.ts';
import type { LoadReport, LoadTarget } from './load.types.ts';

/** Longer than any proxy or client waits: a late response is reported as slow. */
const answerWithinMs = 30_000;

const whyOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'TimeoutError' || error.name === 'AbortError'
    ? `no answer in ${answerWithinMs / 1000} s`
    : error.message;
};

interface Running {
  /** Sends no more requests and waits for those in progress. */
  stop(): Promise<LoadReport>;
}

const startOne = (target: LoadTarget): Running => {
  const agent = target.connections === 'kept' ? new Agent({ keepAlive: true }) : undefined;
  const times: number[] = [];
  const reasons = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let failed = 0;

  const fail = (why: string): void => {
    failed += 1;
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  };
  const sendOne = async (): Promise<void> => {
    const begun = performance.now();
    try {
      const options = { ...target, timeoutMs: answerWithinMs };
      const { status } = await sendRequest(agent ? { ...options, agent } : options);
      if (status !== 200) fail(`answered ${status}`);
    } catch (error) {
      fail(whyOf(error));
    }
    times.push(performance.now() - begun);
  };
  const timer = setInterval(() => {
    const sending = sendOne().finally(() => underWay.delete(sending));
    underWay.add(sending);
  }, target.everyMs);

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      agent?.destroy();
      const sorted = times.toSorted((a, b) => a - b);
      return {
        name: target.name,
        connections: target.connections,
        sent: times.length,
        failed,
        reasons,
        medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
        slowestMs: sorted.at(-1) ?? 0,
      };
    },
  };
};

/** A load that runs until it is stopped, and then reports every request. */
export interface Load {
  stop(): Promise<readonly LoadReport[]>;
}

/** Starts the load on all targets at once. */
export const startLoad = (targets: readonly LoadTarget[]): Load => {
  const running = targets.map(startOne);
  return { stop: () => Promise.all(running.map((one) => one.stop())) };
};
