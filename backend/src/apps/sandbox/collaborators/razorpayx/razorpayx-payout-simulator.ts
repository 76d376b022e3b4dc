import type {
  PayoutPlay,
  ValidationPlay,
  PayoutSimulator,
  PayoutSummary,
  ValidationSummary,
} from '../../core/payout-simulator.ts';
import type { RazorpayxStore, Payout, Validation } from './razorpayx-store.ts';
import { payoutView, validationView } from './razorpayx-views.ts';
import { sendRazorpayxEvent, type RazorpayxWebhookDeps } from './razorpayx-webhooks.ts';

/**
 * Maps the last digits of an account number to the final status of its payouts, if that is not
 * `processed`. With undefined, the payout stays open (contract: collaborators > Sandbox outcomes).
 */
const payoutEndings: ReadonlyMap<string, PayoutPlay['outcome'] | undefined> = new Map([
  ['7777', 'failed'],
  ['9999', undefined],
]);
const validationEndings: ReadonlyMap<string, ValidationPlay['outcome'] | undefined> = new Map([
  ['0000', 'failed'],
  ['8888', undefined],
]);

/** Returns the outcome of a payout to this account, or undefined when it stays open. */
const payoutEnding = (last4: string): PayoutPlay['outcome'] | undefined =>
  payoutEndings.has(last4) ? payoutEndings.get(last4) : 'processed';

/** Returns the outcome of a penny-drop of this account, or undefined when it stays open. */
const validationEnding = (last4: string): ValidationPlay['outcome'] | undefined =>
  validationEndings.has(last4) ? validationEndings.get(last4) : 'active';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/**
 * Returns true if a reference or an idempotency key is of this id of the service. It is the id
 * itself, or the id with an attempt (`-2`). A UUID may lack its hyphens.
 */
const isOfId = (text: string | null, id: string): boolean => {
  if (text === null) return false;
  const forms = uuid.test(id) ? [id, id.replaceAll('-', '')] : [id];
  return forms.some((form) => text === form || text.startsWith(`${form}-`));
};

export interface PayoutSimulatorDeps extends RazorpayxWebhookDeps {
  readonly store: RazorpayxStore;
  readonly changed: () => void;
  /** The real time after which a payout or a penny-drop ends. */
  readonly settleMs: number;
}

const utrDigits = 12;

const isoAt = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Simulates payouts and penny-drops, and can end them without a control. */
export interface RazorpayxPayoutSimulator extends PayoutSimulator {
  /** Ends a payout after `settleMs`, unless its account keeps it open. */
  endPayoutLater(payout: Payout): void;
  endValidationLater(validation: Validation): void;
  /** Resumes the payouts and penny-drops that an earlier process left open. */
  resume(): void;
}

const payeeOf = ({ store }: PayoutSimulatorDeps, fundAccountId: string) => {
  const account = store.fundAccounts.get(fundAccountId);
  return { name: account?.name ?? '', accountLast4: account?.account_number.slice(-4) ?? '' };
};

const endPayout = (deps: PayoutSimulatorDeps, payout: Payout, play: PayoutPlay): Payout => {
  const { store, random, changed } = deps;
  const utr = payout.utr ?? (play.outcome === 'processed' ? random.digits(utrDigits) : null);
  const ended = { ...payout, status: play.outcome, utr };
  store.payouts.replace(ended);
  changed();
  const subject = ended.reference_id ?? ended.id;
  const event = `payout.${play.outcome}`;
  const entity = payoutView(ended);
  void sendRazorpayxEvent(deps, { event, subject, part: 'payout', entity }, play);
  return ended;
};

const endValidation = (
  deps: PayoutSimulatorDeps,
  validation: Validation,
  play: ValidationPlay,
): Validation => {
  const { store, changed } = deps;
  const ended: Validation =
    play.outcome === 'failed'
      ? { ...validation, status: 'failed', account_status: null }
      : { ...validation, status: 'completed', account_status: play.outcome };
  store.validations.replace(ended);
  changed();
  const part = 'fund_account.validation';
  const subject = ended.reference_id ?? ended.id;
  const entity = validationView(store, ended);
  void sendRazorpayxEvent(deps, { event: `${part}.${ended.status}`, subject, part, entity }, play);
  return ended;
};

const afterDelay = async (
  { timers, backgroundWork, settleMs }: PayoutSimulatorDeps,
  work: () => void,
): Promise<void> => {
  const signal = backgroundWork.signal();
  await timers.sleep(settleMs, signal);
  if (!signal.aborted) work();
};

const endPayoutLater = (
  deps: PayoutSimulatorDeps,
  { id, fund_account_id: accountId }: Payout,
): void => {
  const outcome = payoutEnding(payeeOf(deps, accountId).accountLast4);
  if (outcome === undefined) return;
  void afterDelay(deps, () => {
    const payout = deps.store.payouts.get(id);
    if (payout?.status === 'processing') endPayout(deps, payout, { outcome });
  });
};

const endValidationLater = (
  deps: PayoutSimulatorDeps,
  { id, fund_account_id: accountId }: Validation,
): void => {
  const outcome = validationEnding(payeeOf(deps, accountId).accountLast4);
  if (outcome === undefined) return;
  void afterDelay(deps, () => {
    const validation = deps.store.validations.get(id);
    if (validation?.status === 'created') endValidation(deps, validation, { outcome });
  });
};

const resume = (deps: PayoutSimulatorDeps): void => {
  for (const payout of deps.store.payouts.all()) {
    if (payout.status === 'processing') endPayoutLater(deps, payout);
  }
  for (const validation of deps.store.validations.all()) {
    if (validation.status === 'created') endValidationLater(deps, validation);
  }
};

const summarisePayout = (deps: PayoutSimulatorDeps, payout: Payout): PayoutSummary => ({
  id: payout.id,
  referenceId: payout.reference_id,
  idempotencyKey: payout.idempotency_key,
  amountPaise: payout.amount,
  mode: payout.mode,
  status: payout.status,
  utr: payout.utr,
  ...payeeOf(deps, payout.fund_account_id),
  createdAt: isoAt(payout.created_at),
});

const summariseValidation = (
  deps: PayoutSimulatorDeps,
  validation: Validation,
): ValidationSummary => ({
  id: validation.id,
  referenceId: validation.reference_id,
  status: validation.status,
  accountStatus: validation.account_status,
  ...payeeOf(deps, validation.fund_account_id),
  createdAt: isoAt(validation.created_at),
});

const findPayout = ({ store }: PayoutSimulatorDeps, id: string): Payout | undefined =>
  store.payouts.get(id) ??
  store.payouts.newestWhere(
    (payout) => isOfId(payout.reference_id, id) || isOfId(payout.idempotency_key, id),
  );

const findValidation = ({ store }: PayoutSimulatorDeps, id: string): Validation | undefined =>
  store.validations.get(id) ??
  store.validations.newestWhere((validation) => isOfId(validation.reference_id, id));

/**
 * Ends payouts and penny-drops and sends their webhooks (contract: payments-and-webhooks > Payout
 * events).
 */
export const createRazorpayxPayoutSimulator = (
  deps: PayoutSimulatorDeps,
): RazorpayxPayoutSimulator => ({
  play(id, play) {
    const payout = findPayout(deps, id);
    if (payout === undefined) return undefined;
    return summarisePayout(deps, endPayout(deps, payout, play));
  },
  playValidation(id, play) {
    const validation = findValidation(deps, id);
    if (validation === undefined) return undefined;
    return summariseValidation(deps, endValidation(deps, validation, play));
  },
  payouts: (count) =>
    deps.store.payouts
      .all()
      .slice(0, count)
      .map((payout) => summarisePayout(deps, payout)),
  validations: (count) =>
    deps.store.validations
      .all()
      .slice(0, count)
      .map((validation) => summariseValidation(deps, validation)),
  endPayoutLater: (payout) => endPayoutLater(deps, payout),
  endValidationLater: (validation) => endValidationLater(deps, validation),
  resume: () => resume(deps),
});
