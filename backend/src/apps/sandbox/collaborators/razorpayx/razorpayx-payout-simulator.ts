import type {
  PayoutPlay,
  ValidationPlay,
  PayoutSimulator,
  PayoutSummary,
  ValidationSummary,
} from '../../core/payout-simulator.ts';
import type { RazorpayxStore, Payout, Validation } from './razorpayx-store.ts';
import { payoutView, validationView } from './razorpayx-views.ts';
import { createRazorpayxEventSender, type RazorpayxWebhookOptions } from './razorpayx-webhooks.ts';

/**
 * Lists the account numbers' ends whose payouts do not end as `processed`; undefined stays open
 * (contract: collaborators > Sandbox outcomes).
 */
const payoutEndings: ReadonlyMap<string, PayoutPlay['outcome'] | undefined> = new Map([
  ['7777', 'failed'],
  ['9999', undefined],
]);
const validationEndings: ReadonlyMap<string, ValidationPlay['outcome'] | undefined> = new Map([
  ['0000', 'failed'],
  ['8888', undefined],
]);

/** Returns the outcome of a payout to this account; undefined when it stays open. */
const payoutEnding = (last4: string): PayoutPlay['outcome'] | undefined =>
  payoutEndings.has(last4) ? payoutEndings.get(last4) : 'processed';

/** Returns the outcome of a penny-drop of this account; undefined when it stays open. */
const validationEnding = (last4: string): ValidationPlay['outcome'] | undefined =>
  validationEndings.has(last4) ? validationEndings.get(last4) : 'active';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/**
 * Returns true when a reference or an idempotency key stands for this id of the service: it is the
 * id, or the id and an attempt (`-2`). A UUID may have lost its hyphens there.
 */
const standsFor = (text: string | null, id: string): boolean => {
  if (text === null) return false;
  const forms = uuid.test(id) ? [id, id.replaceAll('-', '')] : [id];
  return forms.some((form) => text === form || text.startsWith(`${form}-`));
};

interface RazorpayxPayoutSimulatorOptions extends RazorpayxWebhookOptions {
  readonly store: RazorpayxStore;
  readonly changed: () => void;
  /** Real time after which a payout or a penny-drop ends. */
  readonly settleMs: number;
}

const utrDigits = 12;

const isoAt = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Simulates payouts and penny-drops, and ends them by themselves too. */
export interface RazorpayxPayoutSimulator extends PayoutSimulator {
  /** Ends a payout after the settling time, unless its account keeps it open. */
  settlePayoutLater(payout: Payout): void;
  settleValidationLater(validation: Validation): void;
  /** Resumes what was settling when an earlier process ended. */
  resume(): void;
}

/**
 * Ends payouts and penny-drops and sends their webhooks (contract: payments-and-webhooks > Payout
 * events).
 */
export const createRazorpayxPayoutSimulator = (
  options: RazorpayxPayoutSimulatorOptions,
): RazorpayxPayoutSimulator => {
  const { store, timers, random, backgroundWork, changed, settleMs } = options;
  const sendEvent = createRazorpayxEventSender(options);

  const whose = (fundAccountId: string) => {
    const account = store.fundAccounts.get(fundAccountId);
    return { name: account?.name ?? '', accountLast4: account?.account_number.slice(-4) ?? '' };
  };

  const endPayout = (payout: Payout, play: PayoutPlay): Payout => {
    const utr = payout.utr ?? (play.outcome === 'processed' ? random.digits(utrDigits) : null);
    const ended = { ...payout, status: play.outcome, utr };
    store.payouts.replace(ended);
    changed();
    const subject = ended.reference_id ?? ended.id;
    const event = `payout.${play.outcome}`;
    void sendEvent({ event, subject, part: 'payout', entity: payoutView(ended) }, play);
    return ended;
  };

  const endValidation = (validation: Validation, play: ValidationPlay): Validation => {
    const ended: Validation =
      play.outcome === 'failed'
        ? { ...validation, status: 'failed', account_status: null }
        : { ...validation, status: 'completed', account_status: play.outcome };
    store.validations.replace(ended);
    changed();
    const part = 'fund_account.validation';
    const subject = ended.reference_id ?? ended.id;
    const entity = validationView(store, ended);
    void sendEvent({ event: `${part}.${ended.status}`, subject, part, entity }, play);
    return ended;
  };

  const afterSettling = async (work: () => void): Promise<void> => {
    const signal = backgroundWork.signal();
    await timers.sleep(settleMs, signal);
    if (!signal.aborted) work();
  };

  const settlePayoutLater = ({ id, fund_account_id: accountId }: Payout): void => {
    const outcome = payoutEnding(whose(accountId).accountLast4);
    if (outcome === undefined) return;
    void afterSettling(() => {
      const payout = store.payouts.get(id);
      if (payout?.status === 'processing') endPayout(payout, { outcome });
    });
  };

  const settleValidationLater = ({ id, fund_account_id: accountId }: Validation): void => {
    const outcome = validationEnding(whose(accountId).accountLast4);
    if (outcome === undefined) return;
    void afterSettling(() => {
      const validation = store.validations.get(id);
      if (validation?.status === 'created') endValidation(validation, { outcome });
    });
  };

  const summarisePayout = (payout: Payout): PayoutSummary => ({
    id: payout.id,
    referenceId: payout.reference_id,
    idempotencyKey: payout.idempotency_key,
    amountPaise: payout.amount,
    mode: payout.mode,
    status: payout.status,
    utr: payout.utr,
    ...whose(payout.fund_account_id),
    createdAt: isoAt(payout.created_at),
  });

  const summariseValidation = (validation: Validation): ValidationSummary => ({
    id: validation.id,
    referenceId: validation.reference_id,
    status: validation.status,
    accountStatus: validation.account_status,
    ...whose(validation.fund_account_id),
    createdAt: isoAt(validation.created_at),
  });

  const findPayout = (id: string): Payout | undefined =>
    store.payouts.get(id) ??
    store.payouts.newestWhere(
      (payout) => standsFor(payout.reference_id, id) || standsFor(payout.idempotency_key, id),
    );

  const findValidation = (id: string): Validation | undefined =>
    store.validations.get(id) ??
    store.validations.newestWhere((validation) => standsFor(validation.reference_id, id));

  return {
    play(id, play) {
      const payout = findPayout(id);
      return payout === undefined ? undefined : summarisePayout(endPayout(payout, play));
    },
    playValidation(id, play) {
      const validation = findValidation(id);
      if (validation === undefined) return undefined;
      return summariseValidation(endValidation(validation, play));
    },
    payouts: (count) => store.payouts.all().slice(0, count).map(summarisePayout),
    validations: (count) => store.validations.all().slice(0, count).map(summariseValidation),
    settlePayoutLater,
    settleValidationLater,
    resume() {
      const payouts = store.payouts.all().filter(({ status }) => status === 'processing');
      const validations = store.validations.all().filter(({ status }) => status === 'created');
      payouts.forEach(settlePayoutLater);
      validations.forEach(settleValidationLater);
    },
  };
};
