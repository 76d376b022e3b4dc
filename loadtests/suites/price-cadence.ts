import exec from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';
import { setTimeout } from 'k6/timers';
import { hearFeed } from '../journeys/hear-feed.ts';
import { clientAddress, forwardedFor } from '../lib/client-addresses.ts';
import { latenessMs, markOf, marksToHear, type HeardTick } from '../lib/feed-log.ts';
import { addMarks } from '../lib/add-marks.ts';
import { markMetrics, markThresholds, priceNumber, readMarks } from '../lib/mark-agreement.ts';
import { shareOf } from '../lib/segment.ts';
import { thresholdsOf } from '../lib/rules.ts';
import { readSettings } from '../lib/settings.ts';
import type { SummaryData } from '../lib/report.types.ts';
import { reportFiles, reportOf } from '../lib/summary.ts';
import { cadenceProfile } from '../profiles/price-cadence.ts';
import { observations, priceCadenceRules } from '../thresholds/price-cadence.ts';

const settings = readSettings(__ENV);
const { tickMs } = settings;
const profile = cadenceProfile(settings.profile, settings.sockets, settings.marks);
const { listeners, socketsPerListener, marks, joinPart } = profile;
const latenessMaxMs = settings.latenessMaxMs ?? profile.latenessMaxMs;
const rules = priceCadenceRules({
  sockets: shareOf(listeners, settings.segment) * socketsPerListener,
  latenessP95Ms: settings.latenessP95Ms ?? profile.latenessP95Ms,
  latenessMaxMs,
  priceMayStand: settings.priceMayStand,
  marks,
  missedMarks: settings.missedMarks,
});
/** The marks from the first socket's first to the last one's last. */
const slots = marks + Math.ceil(joinPart) + 3;

const metrics = new Map(Object.keys(observations).map((name) => [name, new Rate(name)]));
const lateness = new Trend('feed_lateness', true);
const joinTime = new Trend('feed_join_time', true);
const markTrends = markMetrics.map((name) => new Trend(name));
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
  thresholds: { ...thresholdsOf(rules), ...markThresholds(slots) },
  summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max', 'count'],
  hosts: settings.hosts,
  setupTimeout: '10s',
};

interface RunData {
  readonly firstMarkMs: number;
}

/** Counts nothing, so that k6 holds a count against the threshold and not nothing. */
export const setup = (): RunData => {
  socketsFinished.add(0);
  const next = marksToHear(Date.now(), tickMs, 1);
  return { firstMarkMs: settings.firstMarkMs ?? next[0] ?? 0 };
};

const observeTick = ({ firstMarkMs }: RunData, tick: HeardTick): void => {
  const slot = Math.round((markOf(tick.atMs, tickMs) - firstMarkMs) / tickMs);
  if (slot < 0 || slot >= slots) return;
  const values = [tick.seq, priceNumber(tick), latenessMs(tick.atMs, tickMs)];
  for (const [index, trend] of markTrends.entries()) {
    trend.add(values[index] ?? 0, { mark: String(slot) });
  }
};

/** Each listener is a separate client, because the sockets of an address are limited. */
const headersOf = (listener: number): Readonly<Record<string, string>> =>
  settings.hop === 'played' ? forwardedFor(clientAddress(listener, 0)) : {};

const listen = (headers: Readonly<Record<string, string>>, data: RunData): void =>
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
    observeTick: (tick) => observeTick(data, tick),
    observeJoin: (ms) => joinTime.add(ms),
    onFinished: () => socketsFinished.add(1),
  });

/** Several sockets on one event loop, joining one after another. */
export const listener = (data: RunData): void => {
  const betweenMs = (joinPart * tickMs) / socketsPerListener;
  const headers = headersOf(exec.vu.idInTest);
  for (let index = 0; index < socketsPerListener; index += 1) {
    setTimeout(() => listen(headers, data), index * betweenMs);
  }
};

/** The reports: text on the terminal, JSON and Markdown beside. */
export const handleSummary = (
  data: SummaryData & { readonly setup_data?: RunData },
): Record<string, string> => {
  const run = { suite: 'price-cadence', title: 'Price cadence', profile: settings.profile, rules };
  const figures = [{ metric: 'feed_join_time', says: 'time to join' }];
  const firstMarkMs = data.setup_data?.firstMarkMs ?? 0;
  const heard = readMarks(data, { firstMarkMs, tickMs, slots });
  const report = addMarks(reportOf(run, figures, data), heard, settings.spreadP99Ms);
  return reportFiles(report, settings.resultsDir);
};
