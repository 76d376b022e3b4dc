import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The state of a collaborator's circuit. `half_open` lets one call through as a probe. */
type CircuitState = 'closed' | 'half_open' | 'open';

interface ObservedCircuit {
  readonly collaborator: string;
  readonly state: CircuitState;
}

interface ObservedTick {
  /** The time from the mark of the wall clock to the broadcast. */
  readonly lateMs: number;
  /** True if the provider did not respond, so that the tick repeats the last price. */
  readonly stale: boolean;
}

/** A flow that calls a collaborator by the protocol of `platform/collaborator-call`. */
const callFlows = [
  'gateway_order',
  'allocation',
  'sale_verify',
  'sale_confirm',
  'deployment',
  'validation',
  'debit',
  'payout',
] as const;
export type CallFlow = (typeof callFlows)[number];

/** The results of a worker's turn at a call. SKIP means that there was nothing to do. */
const callOutcomes = ['INTENDED', 'DONE', 'REFUSED', 'UNKNOWN', 'SKIP'] as const;
type CallOutcome = (typeof callOutcomes)[number];

/** Measures how money, events and prices move through a process. */
export interface FlowMetrics {
  /** Observes an order that got its gold, `ms` after its payment was known here. */
  readonly observeAllocation: (ms: number) => void;
  /** Observes a stored event that was applied `ms` after its delivery. */
  readonly observeEvent: (source: string, ms: number) => void;
  readonly observeTick: (tick: ObservedTick) => void;
  /** Counts a turn at a call to a collaborator. */
  readonly countCall: (flow: CallFlow, outcome: CallOutcome) => void;
  /** Fits the HTTP client's `observeCircuit`. */
  readonly observeCircuit: (circuit: ObservedCircuit) => void;
}

/** The buckets of times until gold is bought and events are applied, in seconds. */
const waitBuckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600];
const latenessBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10];

/** Creates the flow metrics of a process. */
export const createFlowMetrics = (registry: Registry): FlowMetrics => {
  const registers = [registry];
  const allocations = new Histogram({
    name: 'capture_to_allocation_seconds',
    help: 'Seconds from when a capture became known here until its order was allocated.',
    buckets: waitBuckets,
    registers,
  });
  const events = new Histogram({
    name: 'webhook_lag_seconds',
    help: 'Seconds from the delivery of a signed event until it was applied, by source.',
    labelNames: ['source'],
    buckets: waitBuckets,
    registers,
  });
  const ticks = new Histogram({
    name: 'price_tick_lateness_seconds',
    help: 'Seconds from a mark of the wall clock to the broadcast of its tick.',
    buckets: latenessBuckets,
    registers,
  });
  const stale = new Counter({
    name: 'price_ticks_stale_total',
    help: 'Ticks that repeat the last price, because the provider did not respond in time.',
    registers,
  });
  const circuits = new Gauge({
    name: 'collaborator_circuit_open',
    help: '1 while the circuit of a collaborator is open or lets a probe through, else 0.',
    labelNames: ['collaborator'],
    registers,
  });
  const calls = new Counter({
    name: 'collaborator_call_outcomes_total',
    help: 'Attempts at calls with a committed intent, by flow and outcome.',
    labelNames: ['flow', 'outcome'],
    registers,
  });
  for (const flow of callFlows) {
    for (const outcome of callOutcomes) calls.inc({ flow, outcome }, 0);
  }
  return {
    countCall: (flow, outcome) => calls.inc({ flow, outcome }),
    observeAllocation: (ms) => allocations.observe(ms / 1000),
    observeEvent: (source, ms) => events.observe({ source }, ms / 1000),
    observeTick: ({ lateMs, stale: isStale }) => {
      ticks.observe(lateMs / 1000);
      if (isStale) stale.inc();
    },
    observeCircuit: ({ collaborator, state }) => {
      circuits.set({ collaborator }, state === 'closed' ? 0 : 1);
    },
  };
};
