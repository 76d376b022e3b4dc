import type { PayoutProvider, ProviderPayout } from '../../../adapters/payout-provider/port.ts';
import { PAYOUT_NOT_FOUND } from '../../../adapters/payout-provider/port.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { toSafePaise, type Paise } from '../../../money/index.ts';
import { addMs } from '../../../platform/clock/clock.ts';
import { askAboutRows, toFindings } from '../ask-about-rows.ts';
import { askEach, toAsked, type Asked, type AskLimits } from '../ask-each.ts';
import { findRows } from '../find-rows.ts';
import { mergeFindings } from '../merge-findings.ts';
import type { Check, CheckContext } from '../reconciliation.types.ts';
import { payoutsSince } from '../window.ts';
import { judgePayout, type PayoutWord } from './payout-stuck.rules.ts';

const stuckMs = 24 * 60 * 60_000;

/** A payout that can't be: "there is none" is an answer. */
const nobodysPayout = 'pout_00000000000000';

type AttemptRow = {
  readonly since: Date;
  readonly payoutId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly payoutStatus: string;
  readonly amountPaise: bigint;
  /** Of the sell. */
  readonly proceedsPaise: bigint | null;
  readonly attempt: number;
  readonly isNewest: boolean;
  readonly attemptStatus: string;
  readonly provider: string;
  readonly providerPayoutId: string | null;
  readonly reference: string;
  readonly total: number;
};

interface Answer {
  readonly word: PayoutWord;
  readonly amountPaise: Paise | undefined;
}

/** On its way for a day: `p` is PROCESSING, or may go out and did not. */
const isStuck = (now: Date): Prisma.Sql => {
  const before = addMs(now, -stuckMs);
  return Prisma.sql`
    ((p.status = 'PROCESSING'
        AND coalesce(p.dispatched_at, p.updated_at) < ${before}::timestamptz)
      OR (p.status = 'PENDING' AND p.updated_at < ${before}::timestamptz
        AND (NOT p.approval_required OR p.approved_at IS NOT NULL)))`;
};

const findStuck = ({ read, now }: CheckContext) =>
  findRows(
    read,
    Prisma.sql`
      SELECT coalesce(p.dispatched_at, p.updated_at) AS since, p.id AS "payoutId",
        p.order_id AS "orderId", p.user_id AS "userId", p.status AS "payoutStatus",
        p.amount_paise AS "amountPaise", p.attempt, p.provider,
        p.provider_payout_id AS "providerPayoutId"
      FROM payout p
      WHERE p.status IN ('PENDING', 'PROCESSING') AND ${isStuck(now)}`,
  );

/** Attempts of the window's payouts and of all open ones, but those found stuck anyway. */
const listAttempts = ({ read, now, from, limits }: CheckContext) =>
  read<AttemptRow>(Prisma.sql`
    SELECT a.started_at AS since, p.id AS "payoutId", p.order_id AS "orderId",
      p.user_id AS "userId", p.status AS "payoutStatus", p.amount_paise AS "amountPaise",
      o.proceeds_paise AS "proceedsPaise",
      a.attempt_no AS attempt, a.attempt_no = p.attempt AS "isNewest", a.status AS "attemptStatus",
      a.provider, a.provider_payout_id AS "providerPayoutId", a.idempotency_key AS reference,
      (count(*) OVER ())::int AS total
    FROM (${payoutsSince(from)}) AS recent JOIN payout p ON p.id = recent.id
    JOIN payout_attempt a ON a.payout_id = p.id
    JOIN gold_order o ON o.id = p.order_id
    WHERE NOT ${isStuck(now)}
    ORDER BY p.status <> 'PROCESSING', a.started_at DESC, a.id DESC
    LIMIT ${limits.most}::int`);

const toAnswer = (payout: ProviderPayout | undefined): Answer => ({
  word: payout?.status ?? 'NO_SUCH_PAYOUT',
  amountPaise: payout?.amountPaise,
});

const askAbout = async (
  provider: PayoutProvider,
  { providerPayoutId: id, reference }: Pick<AttemptRow, 'providerPayoutId' | 'reference'>,
): Promise<Asked<Answer>> => {
  const found =
    id === null ? await provider.findPayoutByReference(reference) : await provider.getPayout(id);
  return toAsked(provider.code, found, {
    onDone: toAnswer,
    onRefused: (code) => (code === PAYOUT_NOT_FOUND ? toAnswer(undefined) : undefined),
  });
};

const askProvider = async (
  provider: PayoutProvider | undefined,
  row: Pick<AttemptRow, 'provider' | 'providerPayoutId' | 'reference'>,
): Promise<Asked<Answer>> =>
  provider?.code === row.provider
    ? askAbout(provider, row)
    : `there is no adapter of ${row.provider} to ask with`;

const probe = async (
  provider: PayoutProvider | undefined,
  limits: AskLimits,
): Promise<string | undefined> => {
  if (provider === undefined) return 'no payout provider is configured';
  const item = { provider: provider.code, providerPayoutId: nobodysPayout, reference: '' };
  const asked = { items: [item], total: 1 };
  return (await askEach(asked, limits, (row) => askProvider(provider, row))).incomplete;
};

/**
 * Payouts that have been on their way for a day, of any age; and attempts of which the provider
 * says otherwise than our books: paid, failed or come back there alone, or of another amount.
 */
export const payoutStuck: Check = {
  id: 'payout_stuck',
  title: 'A payout on its way for over 24 hours, or the provider says otherwise',
  severity: 'high',
  asks: true,
  async run(context) {
    const { payoutProvider, limits } = context;
    const stuck = await findStuck(context);
    const judged = await askAboutRows(limits, {
      list: () => listAttempts(context),
      ask: (row) => askProvider(payoutProvider, row),
      judge: (row, answer: Answer) => judgePayout(row, answer),
    });
    const others = toFindings(judged, ({ word, amountPaise }) => ({
      atProvider: word,
      amountAtProviderPaise: amountPaise === undefined ? null : toSafePaise(amountPaise),
    }));
    if (judged.total > 0) return mergeFindings(stuck, others);
    const incomplete = await probe(payoutProvider, limits);
    return mergeFindings(stuck, incomplete === undefined ? others : { ...others, incomplete });
  },
};
