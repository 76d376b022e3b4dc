import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createFlowMetrics, type FlowMetrics } from './flow-metrics.ts';

export interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** `dead` means that the last attempt failed. */
export type JobOutcome = 'done' | 'retry' | 'dead';

interface ObservedJob {
  readonly task: string;
  readonly outcome: JobOutcome;
  readonly ms: number;
}

/** `skipped` means that another replica was running the sweep, or had just run it. */
export type SweepOutcome = 'done' | 'failed' | 'skipped';

export interface ObservedSweep {
  readonly sweep: string;
  readonly outcome: SweepOutcome;
  readonly ms: number;
}

interface ObservedCollaboratorCall {
  readonly collaborator: string;
  readonly operation: string;
  readonly outcome: string;
  readonly ms: number;
}

/** A row of a collaborator's list that is about something else, or can't be read. */
interface ObservedOddRow {
  readonly collaborator: string;
  readonly operation: string;
  readonly reading: string;
}

/** The names of the bounds, which are labels of `bound_reached_total`. */
const bounds = [
  'automatic_payouts',
  'active_buy_quotes',
  'active_plans',
  'bank_accounts',
  'bank_validations',
  'body_depth',
  'body_encoding',
  'body_memory',
  'body_size',
  'body_time',
  'body_values',
  'collaborator_questions',
  'customer_turns',
  'invoice_links',
  'open_deliveries',
  'plans_per_day',
  'price_sockets',
  'quotes',
  'refused_webhooks',
  'sessions',
  'row_waits',
] as const;
type Bound = (typeof bounds)[number];

/** The state of the job queue that all workers share, as read from the database. */
export interface ObservedQueue {
  readonly waiting: number;
  readonly scheduled: number;
  readonly dead: number;
  readonly oldestDueSeconds: number;
}

export interface Metrics extends FlowMetrics {
  /** The registry, for a module's own metrics. */
  readonly registry: Registry;
  readonly observeRequest: (request: ObservedRequest) => void;
  readonly observeJob: (job: ObservedJob) => void;
  readonly observeSweep: (sweep: ObservedSweep) => void;
  /** Fits the HTTP client's `observe`. */
  readonly observeCall: (call: ObservedCollaboratorCall) => void;
  /** Fits the adapters' `observeRow`. */
  readonly observeOddRow: (row: ObservedOddRow) => void;
  readonly observeQueue: (queue: ObservedQueue) => void;
  readonly countRateLimited: () => void;
  /** Counts requests or rows that were refused or superseded because a bound was reached. */
  readonly countBoundReached: (bound: Bound, count?: number) => void;
  /** Counts rows that a purge deleted. */
  readonly countPurged: (sweep: string, count: number) => void;
  /** Counts a history of prices that was read from the database. */
  readonly countHistory: (range: string) => void;
  /** Returns all metrics in the text form of Prometheus. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

interface MetricsOptions {
  /** The name of the process, which is the label `service`. */
  readonly service: string;
  /** True to collect Node's own metrics (default true). */
  readonly collectsDefaults?: boolean;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const createQueueGauges = (registers: [Registry]) => ({
  waiting: new Gauge({ name: 'job_queue_waiting', help: 'Jobs that are due.', registers }),
  scheduled: new Gauge({
    name: 'job_queue_scheduled',
    help: 'Jobs that are scheduled for a later time of the business clock.',
    registers,
  }),
  dead: new Gauge({
    name: 'job_queue_dead',
    help: 'Jobs that failed on every attempt.',
    registers,
  }),
  oldestDueSeconds: new Gauge({
    name: 'job_queue_oldest_due_seconds',
    help: 'Seconds for which the oldest due job has waited.',
    registers,
  }),
});

const createDurations = (registers: [Registry]) => ({
  request: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by route template.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  }),
  job: new Histogram({
    name: 'job_duration_seconds',
    help: 'Attempts of jobs. The outcome dead is the last attempt.',
    labelNames: ['task', 'outcome'],
    buckets,
    registers,
  }),
  sweep: new Histogram({
    name: 'sweep_duration_seconds',
    help: 'Passes of the sweeps.',
    labelNames: ['sweep', 'outcome'],
    buckets,
    registers,
  }),
  call: new Histogram({
    name: 'collaborator_call_duration_seconds',
    help: 'Attempts of calls to collaborators.',
    labelNames: ['collaborator', 'operation', 'outcome'],
    buckets,
    registers,
  }),
});

type RequestHistogram = ReturnType<typeof createDurations>['request'];

/**
 * Creates the observer of requests. It looks up each set of labels with the library only once,
 * since every request is observed. The labels are words of our own, so there are few sets.
 */
const createRequestObserver = (durations: RequestHistogram): Metrics['observeRequest'] => {
  const observers = new Map<string, ReturnType<RequestHistogram['labels']>>();
  return ({ method, route, status, ms }) => {
    const key = `${method} ${route} ${status}`;
    let observer = observers.get(key);
    if (observer === undefined) {
      observer = durations.labels(method, route, String(status));
      observers.set(key, observer);
    }
    observer.observe(ms / 1000);
  };
};

const createRowCounters = (registers: [Registry]) => {
  const reached = new Counter({
    name: 'bound_reached_total',
    help: 'Requests refused or entries superseded because a bound was reached.',
    labelNames: ['bound'],
    registers,
  });
  for (const bound of bounds) reached.inc({ bound }, 0);
  const histories = new Counter({
    name: 'price_histories_made_total',
    help: 'Price histories that were read from the database, by range.',
    labelNames: ['range'],
    registers,
  });
  const purged = new Counter({
    name: 'purged_rows_total',
    help: 'Rows that sweeps deleted after their retention.',
    labelNames: ['sweep'],
    registers,
  });
  const odd = new Counter({
    name: 'collaborator_odd_rows_total',
    help: "Rows of collaborators' lists that belong to other users of the account or can't be read.",
    labelNames: ['collaborator', 'operation', 'reading'],
    registers,
  });
  return { reached, histories, purged, odd };
};

/** Gauges of the library that are named like counters, which `promtool check` refuses. */
const misnamed = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

const collectProcess = (registry: Registry): void => {
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
};

/**
 * Creates the metrics of a process. Labels are words that we chose, and never ids, addresses or
 * names.
 */
export const createMetrics = (options: MetricsOptions): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  if (options.collectsDefaults ?? true) collectProcess(registry);
  const durations = createDurations([registry]);
  const queue = createQueueGauges([registry]);
  const limited = new Counter({
    name: 'http_rate_limited_total',
    help: 'Requests refused by the rate limit.',
    registers: [registry],
  });
  const { reached, histories, purged, odd } = createRowCounters([registry]);

  return {
    registry,
    ...createFlowMetrics(registry),
    observeRequest: createRequestObserver(durations.request),
    observeJob: ({ ms, ...labels }) => {
      durations.job.observe(labels, ms / 1000);
    },
    observeSweep: ({ ms, ...labels }) => {
      durations.sweep.observe(labels, ms / 1000);
    },
    observeCall: ({ ms, collaborator, operation, outcome }) => {
      durations.call.observe({ collaborator, operation, outcome }, ms / 1000);
    },
    observeOddRow: ({ collaborator, operation, reading }) => {
      odd.inc({ collaborator, operation, reading });
    },
    observeQueue: ({ waiting, scheduled, dead, oldestDueSeconds }) => {
      queue.waiting.set(waiting);
      queue.scheduled.set(scheduled);
      queue.dead.set(dead);
      queue.oldestDueSeconds.set(oldestDueSeconds);
    },
    countRateLimited: () => {
      limited.inc();
    },
    countBoundReached: (bound, count = 1) => {
      reached.inc({ bound }, count);
    },
    countPurged: (sweep, count) => {
      purged.inc({ sweep }, count);
    },
    countHistory: (range) => {
      histories.inc({ range });
    },
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
};

/** Creates the handler of `GET /metrics`. An earlier middleware decides on access. */
export const createMetricsHandler =
  (metrics: Metrics): RequestHandler =>
  async (_req, res) => {
    const { contentType, body } = await metrics.text();
    res.set('content-type', contentType).send(body);
  };
