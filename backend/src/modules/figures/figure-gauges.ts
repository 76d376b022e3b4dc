import { Gauge, type Registry } from 'prom-client';
import { toMetricNumber } from '../../money/index.ts';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import { checkIds, driftPlaces, invariantNumbers } from '../reconciliation/index.ts';
import type { StoredFigures } from './figures.store.ts';
import { openKinds, openStates, type Figures } from './figures.types.ts';

interface GaugesOptions {
  readonly registry: Registry;
  /** The clock of business time, which gives the age of orders and events. */
  readonly clock: Clock;
  /** The clock of real time, which gives the age of prices. */
  readonly wall: Clock;
}

const createGauges = (registry: Registry) => {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    age: gauge('figures_age_seconds', 'Seconds since the figures of the whole fleet were read.'),
    open: gauge('open_work', 'Open work, by kind and state.', 'kind', 'state'),
    oldest: gauge(
      'open_work_oldest_seconds',
      'Age in seconds of the oldest open work of a kind and state, 0 if there is none.',
      'kind',
      'state',
    ),
    priceAge: gauge('price_age_seconds', 'Seconds since the newest price was fetched.'),
    tickAge: gauge('price_tick_age_seconds', 'Seconds since the mark of the newest tick.'),
    gate: gauge('gate_open', '1 while customers may buy or sell, else 0.', 'gate'),
    findings: gauge('reconciliation_findings', 'Findings of the newest run, by check.', 'check'),
    failed: gauge(
      'reconciliation_check_failed',
      '1 for a check that the newest run could not complete, else 0.',
      'check',
    ),
    runAge: gauge('reconciliation_age_seconds', 'Seconds since the newest run, by kind.', 'kind'),
    broken: gauge(
      'database_rule_findings',
      'Rows that broke a rule at the newest nightly run, by the number of the invariant.',
      'invariant',
    ),
    unchecked: gauge(
      'database_rules_unchecked',
      'Rules of an invariant that the newest nightly run could not check.',
      'invariant',
    ),
    drift: gauge(
      'ledger_drift',
      'Difference in paise or grams between a total of money or gold and its parts. It must be 0.',
      'place',
    ),
  };
};

type Gauges = ReturnType<typeof createGauges>;

const setOpenWork = ({ open, oldest }: Gauges, figures: Figures, now: Date): void => {
  for (const kind of openKinds) {
    for (const state of openStates[kind]) {
      const row = figures.open.find((entry) => entry.kind === kind && entry.state === state);
      open.set({ kind, state }, row?.count ?? 0);
      const since = row?.oldestAt ?? null;
      const ageMs = since === null ? 0 : Math.max(0, msBetween(since, now));
      oldest.set({ kind, state }, ageMs / 1000);
    }
  }
};

const setReport = (gauges: Gauges, { report }: Figures): void => {
  for (const check of checkIds) {
    const row = report?.checks.find(({ id }) => id === check);
    gauges.findings.set({ check }, row?.count ?? 0);
    gauges.failed.set({ check }, row?.isError === true ? 1 : 0);
  }
};

const setRules = (gauges: Gauges, { rules }: Figures): void => {
  for (const number of invariantNumbers) {
    const row = rules?.invariants.find(({ invariant }) => invariant === number);
    const labels = { invariant: String(number) };
    gauges.broken.set(labels, row?.count ?? 0);
    gauges.unchecked.set(labels, row?.errors ?? 0);
  }
  for (const place of driftPlaces) {
    const row = rules?.drift.find((entry) => entry.place === place);
    gauges.drift.set({ place }, toMetricNumber(row?.amount ?? '0'));
  }
};

/** Creates the gauges of the figures. Each gauge always shows all its series. */
export const createFigureGauges = ({ registry, clock, wall }: GaugesOptions) => {
  const gauges = createGauges(registry);
  return ({ figures, ageSeconds, knownForSeconds }: StoredFigures): void => {
    gauges.age.set(ageSeconds);
    if (figures === undefined) return;
    const now = clock.now();
    setOpenWork(gauges, figures, now);
    const { price, gates } = figures;
    const realAgeOf = (at: Date | undefined): number =>
      at === undefined ? knownForSeconds : Math.max(0, msBetween(at, wall.now())) / 1000;
    gauges.priceAge.set(realAgeOf(price?.asOf));
    gauges.tickAge.set(realAgeOf(price?.mark));
    gauges.gate.set({ gate: 'buy' }, gates.buy ? 1 : 0);
    gauges.gate.set({ gate: 'sell' }, gates.sell ? 1 : 0);
    const ageOf = (run: { readonly at: Date } | null): number =>
      run === null ? knownForSeconds : Math.max(0, msBetween(run.at, now)) / 1000;
    gauges.runAge.set({ kind: 'report' }, ageOf(figures.report));
    gauges.runAge.set({ kind: 'database_rules' }, ageOf(figures.rules));
    setReport(gauges, figures);
    setRules(gauges, figures);
  };
};
