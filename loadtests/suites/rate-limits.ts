import exec from 'k6/execution';
import { Counter, Rate } from 'k6/metrics';
import type { Options } from 'k6/options';
import { createApiClient, type ApiClient } from '../journeys/api-client.ts';
import { spendBudget } from '../journeys/spend-budget.ts';
import { apis } from '../lib/apis.ts';
import { addressSeed, clientAddress, ipv6Address } from '../lib/client-addresses.ts';
import { shareOf } from '../lib/segment.ts';
import { thresholdsOf } from '../lib/rules.ts';
import { apiNames, readSettings } from '../lib/settings.ts';
import type { SummaryData } from '../lib/report.types.ts';
import { reportFiles, reportOf } from '../lib/summary.ts';
import { rateLimitProfile } from '../profiles/rate-limits.ts';
import { observations, rateLimitRules, type Observation } from '../thresholds/rate-limits.ts';

const settings = readSettings(__ENV);
const { clients, windows, requestsAtOnce } = rateLimitProfile(settings.profile);
// Behind a real hop all clients are one, and its budget can be spent once at a time.
const clientsAtOnce = settings.hop === 'real' ? 1 : clients;
const journeys = shareOf(clientsAtOnce, settings.segment) * windows;
const rules = rateLimitRules(settings, journeys);

const isShared = settings.cache === 'running';

const metrics = new Map(observations.map((name) => [name, new Rate(name)]));
const clientsFinished = new Counter('clients_finished');

export const options: Options = {
  scenarios: Object.fromEntries(
    settings.apis.map((api) => [
      api,
      {
        executor: 'per-vu-iterations',
        exec: 'client',
        vus: clientsAtOnce,
        iterations: windows,
        maxDuration: `${windows * 2 * settings.windowSeconds + settings.spareSeconds}s`,
        gracefulStop: '0s',
      },
    ]),
  ),
  thresholds: thresholdsOf(rules),
  hosts: settings.hosts,
  batch: requestsAtOnce,
  batchPerHost: requestsAtOnce,
  setupTimeout: '10s',
};

interface RunData {
  readonly seed: number;
}

/** Counts nothing for each API, so that k6 holds a count against its threshold and not nothing. */
export const setup = (): RunData => {
  for (const api of settings.apis) clientsFinished.add(0, { api });
  return { seed: addressSeed(Math.random()) };
};

/** Sends the requests of one client in one window to the API that the scenario is named after. */
export const client = ({ seed }: RunData): void => {
  const name = apiNames.find((api) => api === exec.scenario.name) ?? 'customer';
  const [api, baseUrl] = [apis[name], settings.baseUrls[name]];
  // Unique over scenarios, clients and windows, with three addresses each.
  const first = 3 * (exec.vu.idInTest * windows + exec.vu.iterationInScenario);
  const [ownAddress, neighbourAddress, pretended] = [0, 1, 2].map((index) =>
    clientAddress(seed, first + index),
  );
  const isPlayed = settings.hop === 'played';
  const own = isPlayed ? ownAddress : undefined;
  const clientOf = (address: string | undefined, url = baseUrl): ApiClient =>
    createApiClient({ api, baseUrl: url, address, settings });
  const other = name === 'customer' ? settings.otherCustomerUrl : undefined;
  const ipv6Of = (index: number, part: number) => clientOf(ipv6Address(seed, first + index, part));
  spendBudget({
    api,
    windowSeconds: settings.windowSeconds,
    client: clientOf(own),
    addresses: { own, pretended: pretended ?? '' },
    neighbour: isPlayed ? clientOf(neighbourAddress) : undefined,
    elsewhere: other === undefined ? undefined : { client: clientOf(own, other), isShared },
    ipv6: isPlayed ? [ipv6Of(0, 1), ipv6Of(0, 255), ipv6Of(1, 1)] : undefined,
    now: () => Date.now(),
    observe: (observation: Observation, holds) => {
      metrics.get(observation)?.add(holds, { api: name });
    },
  });
  clientsFinished.add(1, { api: name });
};

/** The reports: text on the terminal, JSON and Markdown beside. */
export const handleSummary = (data: SummaryData): Record<string, string> => {
  const run = { suite: 'rate-limits', title: 'Rate limits', profile: settings.profile, rules };
  const figures = [
    { metric: 'http_reqs', says: 'requests made' },
    { metric: 'http_req_duration', says: 'time of a request' },
  ];
  return reportFiles(reportOf(run, figures, data), settings.resultsDir);
};
