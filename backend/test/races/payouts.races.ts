import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { answerOf, createRace, type Operation } from './race.ts';

/** A payout of a sale, as openPayouts makes them. */
type MadePayout = Awaited<ReturnType<OpenPayouts['payout']>> & {
  /** Another verified account of the customer, if the race has one. */
  readonly otherAccountId?: string;
};
type Ground = OpenPayouts & { readonly databaseUrl: string };
type PayoutOperation = Operation<Ground, MadePayout>;

/** The same opened system, with its address in the field that the runner of races reads. */
export const groundOf = (open: OpenPayouts): Ground => ({
  ...open,
  databaseUrl: open.system.addresses.databaseUrl,
});

const rowOf = (open: OpenPayouts, { payoutId: id }: MadePayout) =>
  open.system.db.payout.findUniqueOrThrow({ where: { id } });

type Word = 'processed' | 'failed' | 'reversed';

const eventOf = async (open: OpenPayouts, payout: MadePayout, word: Word): Promise<object> => {
  const { providerPayoutId } = await rowOf(open, payout);
  const entity = {
    id: providerPayoutId,
    entity: 'payout',
    amount: 123_456,
    currency: 'INR',
    status: word,
    reference_id: payout.key,
    utr: word === 'processed' ? '428512345678' : null,
    status_details: { description: 'The bank said so', source: 'bank', reason: 'x' },
  };
  return {
    entity: 'event',
    event: `payout.${word}`,
    contains: ['payout'],
    payload: { payout: { entity } },
    created_at: 1_767_585_600,
  };
};

/** Delivers the provider's event of the first attempt. */
const tell =
  (word: Word): PayoutOperation =>
  async (open, payout) =>
    String((await open.deliver(await eventOf(open, payout, word))).status);
const approve: PayoutOperation = async (open, { payoutId }) => {
  const { call } = await open.operator();
  return answerOf(await call('POST', `/payouts/${payoutId}/approve`));
};
const retryTo =
  (accountOf: (payout: MadePayout) => string | undefined): PayoutOperation =>
  async (open, payout) => {
    const { call } = await open.operator();
    const bankAccountId = accountOf(payout);
    const body = {
      note: 'the bank was asked',
      ...(bankAccountId !== undefined && { bankAccountId }),
    };
    return answerOf(await call('POST', `/payouts/${payout.payoutId}/retry`, body));
  };
const retry = retryTo(() => undefined);
const retryElsewhere = retryTo(({ otherAccountId }) => otherAccountId);
const removeAccount: PayoutOperation = async (_open, { call, bankAccountId }) =>
  answerOf(await call('DELETE', `/bank-accounts/${bankAccountId}`));
const runJobs: PayoutOperation = async (open, { payoutId }) => {
  const context = {
    logger: open.system.logger,
    jobId: '1',
    attempt: 1,
    maxAttempts: 1,
    signal: new AbortController().signal,
  };
  const dispatch = Object.entries(open.payouts.jobs).find(([name]) => name.includes('dispatch'));
  if (dispatch === undefined) throw new Error('payouts have no job that sends them');
  await dispatch[1]({ payoutId }, context);
  return 'done';
};
const payoutSweep =
  (name: string): PayoutOperation =>
  async (open) => {
    await open.runSweeps(name);
    return 'done';
  };

const stateOf = async (open: Ground, payout: MadePayout): Promise<string> => {
  const { status } = await rowOf(open, payout);
  const { status: sale } = await open.sales.state(payout.orderId);
  const attempts = await open.system.db.payoutAttempt.count({
    where: { payoutId: payout.payoutId },
  });
  const plain = payout.payoutId.replaceAll('-', '');
  const keys = (await open.journal('create-payout')).map(({ idempotencyKey }) => idempotencyKey);
  const sent = new Set(keys.filter((key) => key?.startsWith(plain)));
  const account = await open.system.db.bankAccount.findUniqueOrThrow({
    where: { id: payout.bankAccountId },
  });
  const told = await open.system.db.notification.groupBy({
    by: ['type'],
    where: { userId: payout.userId, type: { startsWith: 'payout' } },
    _count: true,
    orderBy: { type: 'asc' },
  });
  return [
    `${status}, sale ${sale}`,
    `${attempts} attempts, ${sent.size} keys sent`,
    account.deletedAt === null ? 'account there' : 'account gone',
    told.map(({ type, _count: count }) => `${type} x${count}`).join(' ') || 'nothing told',
  ].join('; ');
};

const payoutRace = (
  name: string,
  prepare: (open: Ground) => Promise<MadePayout>,
  operations: Readonly<Record<string, PayoutOperation>>,
  toldAtLast?: PayoutOperation,
) =>
  createRace<Ground, MadePayout>('payouts', {
    name,
    prepare,
    row: ({ payoutId }) => ['SELECT 1 FROM payout WHERE id = $1::uuid FOR UPDATE', payoutId],
    operations,
    async settle(open) {
      const [thrown] = await open.drain();
      if (thrown !== undefined) throw thrown;
    },
    state: stateOf,
    // The provider repeats its report until it is accepted, and the sweep queries it.
    async rest(open, payout) {
      await toldAtLast?.(open, payout);
      open.system.clock.advance(61_000);
      await open.runSweeps('payouts-poll-attempts');
    },
  });

const pollAttempts = payoutSweep('payouts-poll-attempts');
const resumePending = payoutSweep('payouts-resume-pending');
const pollReversals = payoutSweep('payouts-poll-reversals');

/** The sweeps query payouts that have not changed for a minute. */
const later = (open: Ground): void => {
  open.system.clock.advance(61_000);
};

const pending = async (open: Ground): Promise<MadePayout> => {
  const made = await open.payout();
  later(open);
  return made;
};
/** It is in progress here, and ended so at the provider, before any report reaches us. */
const endedAs =
  (outcome: Word) =>
  async (open: Ground): Promise<MadePayout> => {
    const made = await open.payout();
    await open.drain();
    const play = { outcome, deliver: 'none' };
    await open.system.sandbox.control('POST', `/payouts/${made.payoutId}`, play);
    later(open);
    return made;
  };
/** Sent, and the provider has paid it, but its answer was lost and nobody knows its id. */
const unanswered = async (open: Ground): Promise<MadePayout> => {
  const made = await open.payout();
  await open.fault('create-payout', 'accept_then_timeout');
  await open.fault('list-payouts', 'error');
  await open.drain();
  later(open);
  return made;
};
const failedOne = async (open: Ground): Promise<MadePayout> => {
  const made = await endedAs('failed')(open);
  const otherAccountId = await open.account(made.userId);
  await tell('failed')(open, made);
  return { ...made, otherAccountId };
};
/** Held, approved, sent and failed: a retry to a new account is held again. */
const heldAndFailed = async (open: Ground): Promise<MadePayout> => {
  const made = await open.payout();
  await approve(open, made);
  await open.drain();
  const play = { outcome: 'failed', deliver: 'none' };
  await open.system.sandbox.control('POST', `/payouts/${made.payoutId}`, play);
  const otherAccountId = await open.account(made.userId);
  await tell('failed')(open, made);
  return { ...made, otherAccountId };
};
const returnedOne = async (open: Ground): Promise<MadePayout> => {
  const made = await endedAs('reversed')(open);
  await tell('processed')(open, made);
  await tell('reversed')(open, made);
  return made;
};
/** One that reads PAID here, and that the bank has returned since. */
const paidThenReturned = async (open: Ground): Promise<MadePayout> => {
  const made = await endedAs('reversed')(open);
  await tell('processed')(open, made);
  open.system.clock.advance(3_601_000);
  return made;
};
/** Above what goes out by itself. */
const large = async (open: Ground): Promise<MadePayout> => {
  const made = await open.payout(10_000_001n);
  later(open);
  return made;
};

export const payoutRaces = [
  payoutRace('a payout that waits for its job', pending, {
    dispatch: runJobs,
    'resume sweep': resumePending,
    'account removed': removeAccount,
    approve,
  }),
  payoutRace('a payout that waits for an approval', large, {
    approve,
    dispatch: runJobs,
    'resume sweep': resumePending,
    'account removed': removeAccount,
  }),
  payoutRace('a payout of which no answer came', unanswered, {
    dispatch: runJobs,
    'poll sweep': pollAttempts,
    retry,
    'account removed': removeAccount,
  }),
  payoutRace('a payout that the provider has paid', endedAs('processed'), {
    processed: tell('processed'),
    'poll sweep': pollAttempts,
    dispatch: runJobs,
    retry,
    'account removed': removeAccount,
  }),
  payoutRace('a payout that the provider has not paid', endedAs('failed'), {
    failed: tell('failed'),
    'poll sweep': pollAttempts,
    dispatch: runJobs,
    retry,
    'account removed': removeAccount,
  }),
  payoutRace(
    'a payout that the bank has returned',
    endedAs('reversed'),
    {
      processed: tell('processed'),
      reversed: tell('reversed'),
      'poll sweep': pollAttempts,
      retry,
      'account removed': removeAccount,
    },
    tell('reversed'),
  ),
  payoutRace('a payout that failed', failedOne, {
    retry,
    'retry elsewhere': retryElsewhere,
    'failed again': tell('failed'),
    'processed after all': tell('processed'),
    dispatch: runJobs,
    'account removed': removeAccount,
  }),
  payoutRace(
    'a payout that reads PAID and that the bank has returned',
    paidThenReturned,
    {
      reversed: tell('reversed'),
      'processed again': tell('processed'),
      'reversal poll': pollReversals,
      retry,
      'account removed': removeAccount,
    },
    tell('reversed'),
  ),
  payoutRace('a payout that was paid and came back', returnedOne, {
    retry,
    'reversed again': tell('reversed'),
    'processed again': tell('processed'),
    'poll sweep': pollAttempts,
    'account removed': removeAccount,
  }),
];

/** Races of payouts that a new account holds: the one of a sale, or the one of a retry. */
export const heldPayoutRaces = [
  payoutRace('a payout that its account holds', pending, {
    approve,
    dispatch: runJobs,
    'resume sweep': resumePending,
    'account removed': removeAccount,
  }),
  payoutRace('a payout that failed, where accounts hold', heldAndFailed, {
    retry,
    'retry elsewhere': retryElsewhere,
    approve,
    'failed again': tell('failed'),
    'account removed': removeAccount,
  }),
];
