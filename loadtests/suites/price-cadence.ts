import exec from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';
import { setTimeout } from 'k6/timers';
import { hearFeed } from '../journeys/hear-feed.ts';
import { clientAddress, forwardedFor } from '../lib/client-addresses.ts';
import { thresholdsOf } from '../lib/rules.ts';
import { readSettings } from '../lib/settings.ts';
import { reportFiles, reportOf, type SummaryData } from '../lib/summary.ts';
import { priceCadenceProfiles } from '../profiles/price-cadence.ts';
import { observations, priceCadenceRules } from '../thresholds/price-cadence.ts';

const settings = readSettings(__ENV);
const { tickMs } = settings;
const profile = priceCadenceProfiles[settings.profile];
const { listeners, socketsPerListener, marks, joinPart } = profile;
const latenessMaxMs = settings.latenessMaxMs ?? profile.latenessMaxMs;
const rules = priceCadenceRules({
  sockets: listeners * socketsPerListener,
  latenessP95Ms: settings.latenessP95Ms ?? profile.latenessP95Ms,
  latenessMaxMs,
  priceMayStand: settings.priceMayStand,
});

const metrics = new Map(Object.keys(observations).map((name) => [name, new Rate(name)]));
const lateness = new Trend('feed_lateness', true);
const joinTime = new Trend('feed_join_time', true);
const socketsFinished = new Counter('sockets_finished');

export const options: Options = {
  scenarios: {
    feed: {
      executor: 'per-vu-iterations',
      exec: 'listener',
      vus: listeners,
      iterations: 1,
      maxDuration: `${Math.ceil(((marks + 3) * tickMs) / 1000) + settings.spareSeconds}s`,
      gracefulStop: '0s',
    },
  },
  thresholds: thresholdsOf(rules),
  hosts: settings.hosts,
  setupTimeout: '10s',
};

/** Counts nothing, so that k6 holds a count against the threshold and not nothing. */
export const setup = (): void => socketsFinished.add(0);

/** Each listener is a client of its own: the sockets of one address are limited. */
const headersOf = (listener: number): Readonly<Record<string, string>> =>
  settings.hop === 'played' ? forwardedFor(clientAddress(listener, 0)) : {};

const listen = (headers: Readonly<Record<string, string>>): void =>
  hearFeed({
    baseUrl: settings.baseUrls.customer,
    headers,
    tickMs,
    marks,
    patienceMs: latenessMaxMs,
    priceMayStand: settings.priceMayStand,
    now: () => Date.now(),
    observe: (name, holds) => {
      metrics.get(name)?.add(holds);
    },
    observeLateness: (ms) => lateness.add(ms),
    observeJoin: (ms) => joinTime.add(ms),
    onFinished: () => socketsFinished.add(1),
  });

/** Several sockets on one event loop, joining one after another. */
export const listener = (): void => {
  const betweenMs = (joinPart * tickMs) / socketsPerListener;
  const headers = headersOf(exec.vu.idInTest);
  for (let index = 0; index < socketsPerListener; index += 1) {
    setTimeout(() => listen(headers), index * betweenMs);
  }
};

/** The reports: text on the terminal, JSON and Markdown beside. */
export const handleSummary = (data: SummaryData): Record<string, string> => {
  const run = { suite: 'price-cadence', title: 'Price cadence', profile: settings.profile, rules };
  const figures = [{ metric: 'feed_join_time', says: 'time to join' }];
  return reportFiles(reportOf(run, figures, data), settings.resultsDir);
};
