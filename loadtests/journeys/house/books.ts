import type { House, Json } from './ask.ts';

/** Rows that each check of the reconciliation finds, by its id. */
export type Findings = Readonly<Record<string, number>>;

interface Outcome {
  readonly reconciles: boolean;
  readonly rulesHold: boolean;
  /** Says to people what differs. */
  readonly words: readonly string[];
}

const isOver = ({ status }: Json): boolean => status === 'DONE' || status === 'FAILED';

const run = ({ ask, until }: House, token: string, kind: string): Json => {
  const operator = { api: 'admin', token } as const;
  const body = kind === 'REPORT' ? { kind, windowHours: 24 } : { kind };
  const asked = ask({
    ...operator,
    method: 'POST',
    route: '/v1/reconciliation/runs',
    body,
    status: 202,
  });
  const path = { route: '/v1/reconciliation/runs/:id', id: String(asked['id']) };
  return until({ ...operator, method: 'GET', ...path }, 300, isOver);
};

const findingsOf = (report: Json): Findings =>
  Object.fromEntries(report['checks'].map(({ id, count }: Json) => [String(id), Number(count)]));

/** Reads what was found before the run: a used stack may have a review that is open. */
export const readFindings = ({ ask }: House, token: string): Findings =>
  findingsOf(ask({ api: 'admin', method: 'GET', route: '/v1/reconciliation', token }));

const describe = ({ id, says, place, amount, status, count, samples, detail }: Json): string =>
  place === undefined
    ? `${id ?? says}: ${status}, ${count}: ${JSON.stringify(samples?.[0] ?? detail ?? '')}`.slice(
        0,
        400,
      )
    : `${place} differs by ${amount}`;

/** Waits until every collaborator has delivered its webhooks: then the books are at rest. */
const awaitWebhooks = ({ until }: House): void => {
  const query = '?state=waiting';
  const call = { api: 'sandbox', method: 'GET', route: '/_control/webhooks', query } as const;
  until(call, 60, (body) => body['deliveries'].length === 0);
};

/**
 * A run queries the provider about as many orders as its time allows, and the next one about
 * others.
 */
const isUnfinished = ({ status, count, detail }: Json): boolean =>
  status === 'ERROR' && count === 0 && /^checked \d+ of \d+/u.test(String(detail));

/** The number of runs after which a report must cover every order: some 450 orders each. */
const mostReports = 40;

const runReport = (house: House, token: string): readonly Json[] => {
  let checks: readonly Json[] = [];
  for (let runs = 0; runs < mostReports; runs += 1) {
    const { report } = run(house, token, 'REPORT');
    checks = report?.checks ?? [];
    if (!checks.some(isUnfinished)) break;
  }
  return checks;
};

/**
 * Requests the reconciliation with all collaborators and the check of every rule of the database.
 */
export const checkBooks = (house: House, token: string, before: Findings): Outcome => {
  awaitWebhooks(house);
  const checks = runReport(house, token);
  const { databaseRules } = run(house, token, 'DATABASE_RULES');
  const differing = checks.filter(
    ({ id, status, count }) =>
      status === 'ERROR' || (status !== 'OK' && count > (before[String(id)] ?? 0)),
  );
  const rules: readonly Json[] = databaseRules?.rules ?? [];
  const drift: readonly Json[] = databaseRules?.drift ?? [];
  const broken = [
    ...rules.filter(({ status }) => status !== 'OK'),
    ...drift.filter(({ amount }) => Number(amount) !== 0),
  ];
  return {
    reconciles: checks.length > 0 && differing.length === 0,
    rulesHold: rules.length > 0 && broken.length === 0,
    words: [...differing, ...broken].map(describe),
  };
};
