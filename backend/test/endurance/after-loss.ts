import { createAdminClient, type AdminClient } from '@digital-gold/client';
import { z } from 'zod';
import type { Timers } from '../../src/platform/clock/timers.ts';
import { comeToRest, findBroken, listLost } from './at-rest.ts';
import type { Goldctl } from './goldctl.ts';
import type { Ground } from './ground.ts';
import type { Ledger } from './ledger.ts';
import { countKinds, findServerErrors, reportOf } from './report.ts';
import { listCounts } from './run.ts';

interface LossOptions {
  readonly ground: Ground;
  readonly goldctl: Goldctl;
  readonly timers: Timers;
  readonly log: (line: string) => void;
}

interface LossPlay extends LossOptions {
  readonly ledger: Ledger;
  /** Prints a line that belongs to the report. */
  readonly print: (line: string) => void;
}

const reportSchema = z.object({
  checks: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      count: z.number(),
      detail: z.string().nullish(),
      samples: z.array(z.record(z.string(), z.unknown())),
    }),
  ),
});
type Found = z.output<typeof reportSchema>['checks'][number];

/** The counts of repairs, by their kind. */
type Repairs = Record<string, number>;

const transactionsSchema = z.object({
  items: z.array(z.object({ txId: z.union([z.string(), z.number()]), status: z.number() })),
});

const control = async ({ endpoints }: Ground, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${endpoints.sandbox}/_control${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const signIn = async ({ endpoints }: Ground): Promise<AdminClient> => {
  const visitor = createAdminClient({ baseUrl: endpoints.admin, clientAddress: '10.9.9.8' });
  const { body } = await visitor.post('/v1/auth/login', { body: endpoints.admins.SUPER_ADMIN });
  return visitor.with({ token: body.accessToken });
};

/**
 * Compares the books now, and returns the checks with findings. Orders under review are left out,
 * since they are no difference.
 */
const reconcile = async ({ goldctl, timers }: LossOptions): Promise<readonly Found[]> => {
  const args = ['reconcile', '--fresh', '--window-hours', '24', '--samples', '-o', 'json'];
  let text = '';
  // An operator has sixty requests a minute, so this waits for the next minute.
  for (let tries = 0; text === '' && tries < 20; tries += 1) {
    if (tries > 0) await timers.sleep(10_000);
    ({ stdout: text } = await goldctl(...args));
  }
  const { checks } = reportSchema.parse(JSON.parse(text));
  return checks.filter(({ id, status }) => status !== 'OK' && id !== 'manual_review_open');
};

const textOf = (sample: Record<string, unknown>, name: string): string => {
  const value = sample[name];
  return typeof value === 'string' ? value : '';
};

const paidBack = new Map<string, string>();

/** Pays a payment back at its gateway, once, and returns the refund's reference. */
const payBack = async (ground: Ground, id: string): Promise<string> => {
  const known = paidBack.get(id);
  if (known !== undefined) return known;
  const answer = await control(ground, `/refunds/${id}`, {});
  const { reference } = z.object({ reference: z.string() }).parse(answer);
  paidBack.set(id, reference);
  return reference;
};

/** Refunds captures at their gateway that belong to no order here. */
const refund = async ({ ground }: LossOptions, { samples }: Found): Promise<number> => {
  let count = 0;
  for (const sample of samples) {
    const id = textOf(sample, 'gatewayPaymentId');
    if (id === '' || sample['standing'] === 'UNMATCHED') continue;
    await payBack(ground, id);
    count += 1;
  }
  return count;
};

/** Refunds captures whose event came after the loss, and records the refunds. */
const recordRefunds = async ({ ground }: LossOptions): Promise<number> => {
  const operator = await signIn(ground);
  const query = { state: 'UNMATCHED', limit: 100 } as const;
  const { items } = (await operator.get('/v1/payments', { query })).body;
  for (const { id, gatewayPaymentId } of items) {
    const reference = await payBack(ground, gatewayPaymentId);
    const body = { reference, note: 'lost with the leader' };
    await operator.post('/v1/payments/{id}/refunded', { path: { id }, body });
  }
  return items.length;
};

/**
 * Cancels the provider's trades for orders that are lost, as its support does for an operator. The
 * provider's own list shows these trades.
 */
const cancelTrades = async ({ ground }: LossOptions): Promise<number> => {
  const list = await control(ground, '/transactions?limit=100000');
  const known = await ground.query<{ id: string }>(
    `SELECT provider_tx_id AS id FROM gold_order WHERE provider_tx_id IS NOT NULL
     UNION SELECT provider_tx_id FROM provider_operation WHERE provider_tx_id IS NOT NULL`,
  );
  const ours = new Set(known.map(({ id }) => id));
  const lost = transactionsSchema
    .parse(list)
    .items.filter(({ txId, status }) => (status === 1 || status === 3) && !ours.has(String(txId)));
  for (const { txId } of lost) await control(ground, `/transactions/${txId}`, { status: 2 });
  return lost.length;
};

/**
 * Allocates orders that still exist. They were paid in the lost time, so their payment came late,
 * and the provider has bought gold for them.
 */
const allocateLate = async ({ ground, goldctl }: LossOptions): Promise<number> => {
  const late = await ground.query<{ id: string }>(
    `SELECT id FROM gold_order
     WHERE type <> 'SELL' AND status = 'MANUAL_REVIEW' AND manual_review_code = 'LATE_CAPTURE'`,
  );
  const note = 'paid in the lost stretch';
  let count = 0;
  for (const { id } of late) {
    const { code } = await goldctl('order', 'resolve', id, 'ALLOCATE', '--note', note, '--yes');
    if (code === 0) count += 1;
  }
  return count;
};

/** Reverses payouts at the provider that belong to no sale here. */
const recallPayouts = async ({ ground }: LossOptions, { samples }: Found): Promise<number> => {
  const lost = samples.filter(({ problem }) => problem === 'PAID_THERE_ONLY');
  for (const sample of lost) {
    const id = textOf(sample, 'providerPayoutId');
    await control(ground, `/payouts/${id}`, { outcome: 'reversed' });
  }
  return lost.length;
};

/**
 * The maximum number of rounds. Each round repairs the rows of one report, which has up to twenty
 * for each finding.
 */
const maxRounds = 20;

/**
 * Follows the runbook for a loss of data. It compares the books and undoes at the collaborators
 * what they did for lost orders, until the books agree.
 * @returns the repairs, and the remaining findings
 */
const repairLoss = async (
  options: LossOptions,
): Promise<{ readonly mended: Repairs; readonly left: readonly Found[] }> => {
  const { log, timers } = options;
  const mended: Repairs = {};
  const add = (what: string, count: number): void => {
    if (count > 0) mended[what] = (mended[what] ?? 0) + count;
  };
  let left = await reconcile(options);
  for (let round = 0; round < maxRounds && left.length > 0; round += 1) {
    for (const found of left) {
      log(
        `${found.id} ${found.status} ${found.count}: ${JSON.stringify(found.samples[0] ?? found.detail)}`,
      );
      if (found.id === 'gateway_capture_missing') {
        add('payments paid back', await refund(options, found));
        add('payments of late events paid back', await recordRefunds(options));
      }
      if (found.id === 'provider_transaction_mismatch') {
        add('trades cancelled by the provider', await cancelTrades(options));
        add('late payments allocated', await allocateLate(options));
      }
      if (found.id === 'payout_stuck') {
        add('payouts sent back', await recallPayouts(options, found));
      }
    }
    await timers.sleep(2000);
    left = await reconcile(options);
  }
  return { mended, left };
};

/**
 * Rules that can't hold after events, payouts and payments were lost here and undone at the
 * collaborators.
 */
const inapplicableRules: ReadonlySet<string> = new Set([
  'a delivered event is in the inbox',
  'every payout at the provider is an attempt of a payout here, of its amount',
  'the rupees recorded as captured are all that the gateway captured',
  'a captured payment is recorded here as it is at the gateway',
  'no confirm is sent for a transaction whose status already said that it is done',
]);

const gates = ['payment', 'sell'] as const;

/** Findings about repeats, since a request with a lost key begins again. */
const ofRepeats: ReadonlySet<string> = new Set([
  'a repeat was answered otherwise',
  'a repeat was no repeat',
  'an acknowledged request was refused',
]);

/** Removes the lost requests from the ledger, and the findings about repeats. */
const forgetLost = async ({ ground, ledger, print }: LossPlay): Promise<void> => {
  const lost = await listLost({ ground, ledger });
  print(`Lost: ${listCounts(countKinds(lost)) || 'nothing'}`);
  if (lost.length === 0) ledger.find('nothing was lost', 'so nothing was shown');
  const findings = ledger.findings.splice(0);
  const others = findings.filter(({ what }) => !ofRepeats.has(what));
  ledger.findings.push(...others);
  print(`Repeats that began anew: ${findings.length - others.length}`);
  const kept = ledger.acknowledged.filter((placed) => !lost.includes(placed));
  ledger.acknowledged.splice(0, ledger.acknowledged.length, ...kept);
  ledger.open.clear();
};

/**
 * Follows the runbook for a database that lost its last changes, from closing the gates to opening
 * them, and adds a finding for each rule that is then broken.
 */
export const resolveLoss = async (play: LossPlay): Promise<boolean> => {
  const { ground, ledger, goldctl, timers, log, print } = play;
  for (const gate of gates) {
    await goldctl('gates', 'close', gate, '--reason', 'the database lost its last changes');
  }
  await forgetLost(play);
  await ground.redis('FLUSHALL');
  await comeToRest({ ground, ledger, timers, log });
  const { mended, left } = await repairLoss(play);
  print(`Mended: ${listCounts(mended) || 'nothing'}`);
  for (const { id, status, count } of left) ledger.find('is left', `${id} ${status} ${count}`);
  const rules = await goldctl('database', 'rules');
  if (rules.code !== 0) ledger.find('a rule of the database is broken', rules.stdout);
  await findBroken({ ground, ledger }, (says) => inapplicableRules.has(says));
  for (const gate of gates) {
    const why = ['--yes', '--reason', 'the books agree'];
    const { code, stderr } = await goldctl('gates', 'open', gate, ...why);
    if (code !== 0) ledger.find('a gate stays closed', `${gate}: ${stderr}`);
  }
  findServerErrors(ledger);
  for (const line of reportOf('After the runbook', ledger)) print(line);
  return ledger.findings.length === 0;
};
