import autocannon from 'autocannon';
import { createClientAddresses } from './client-addresses.ts';
import { cpuMsOf } from './process-usage.ts';

export interface Load {
  readonly url: string;
  /** Returns the path and query of each request. Without it they are those of `url`. */
  readonly nextPath?: () => string;
  /** The process whose processor time is counted. */
  readonly pid: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Processor time of the server for each request. It is steadier than its speed on a busy machine.
   */
  readonly cpuUsPerRequest: number;
}

const addresses = createClientAddresses();

/**
 * Sends GET requests over kept connections for some seconds, each from another client.
 * @throws Error if an answer was not 200, since refusals must not be measured
 */
export const runLoad = async (load: Load): Promise<LoadResult> => {
  const { url, pid, seconds, connections, nextPath } = load;
  const cpuBefore = cpuMsOf(pid);
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        method: 'GET',
        setupRequest: (request) => ({
          ...request,
          ...(nextPath !== undefined && { path: nextPath() }),
          headers: { 'x-forwarded-for': addresses.next() },
        }),
      },
    ],
  });
  const answered = result['2xx'];
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0 || answered === 0) {
    throw new Error(`${failed} of ${answered + failed} requests to ${url} were not answered 200`);
  }
  return {
    requestsPerSecond: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuUsPerRequest: ((cpuMsOf(pid) - cpuBefore) * 1000) / answered,
  };
};
