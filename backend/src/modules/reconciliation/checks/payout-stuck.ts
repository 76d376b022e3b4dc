import {
  PAYOUT_NOT_FOUND,
  type PayoutProvider,
  type ProviderPayout,
  type ProviderPayoutStatus,
} from '../../../adapters/payout-provider/port.ts';
import { toSafePaise, type Paise } from '../../../money/index.ts';
import { addMs } from '../../../platform/clock/clock.ts';
import { sql, type Sql } from '../../../platform/db/index.ts';
import { compareRows, toFindings } from '../compare-rows.ts';
import { fetchEach, toFetched, type Fetched, type FetchLimits } from '../fetch-each.ts';
import { findRows, mergeFindings, noFindings } from '../findings.ts';
import { readPages } from '../read-pages.ts';
import type { Check, CheckContext } from '../reconciliation.types.ts';
import type { RowsRequest } from '../walk-rows.ts';
import { findLostPayouts } from './lost-payouts.ts';
import { payoutsSince } from '../window.ts';

/**
 * The provider's status of an attempt. NO_SUCH_PAYOUT means that the provider has no payout for the
 * attempt.
 */
export type ProviderStatus = ProviderPayoutStatus | 'NO_SUCH_PAYOUT';

/** Our own status of an attempt, in terms that can be compared. */
type OwnStatus = 'OPEN' | 'PAID' | 'UNPAID' | 'REVERSED';

interface OwnAttempt {
  readonly payoutStatus: string;
  readonly attemptStatus: string;
  readonly isNewest: boolean;
}

const toOwnStatus = (status: string): OwnStatus => {
  if (status === 'PAID' || status === 'REVERSED') return status;
  return status === 'FAILED' || status === 'REFUSED' ? 'UNPAID' : 'OPEN';
};

/**
 * Returns the payout's status for its newest attempt. It returns the attempt's own status for an
 * earlier attempt, and while the payout waits for a further attempt.
 */
const ownStatus = ({ payoutStatus, attemptStatus, isNewest }: OwnAttempt): OwnStatus =>
  toOwnStatus(isNewest && payoutStatus !== 'PENDING' ? payoutStatus : attemptStatus);

/**
 * The provider's statuses that agree with each of ours. An attempt that the provider never accepted
 * is OPEN here.
 */
const agreeing: Readonly<Record<OwnStatus, readonly ProviderStatus[]>> = {
  OPEN: ['PROCESSING', 'NO_SUCH_PAYOUT'],
  PAID: ['PAID'],
  UNPAID: ['FAILED', 'REVERSED', 'NO_SUCH_PAYOUT'],
  REVERSED: ['REVERSED', 'FAILED'],
};

type PayoutProblem = 'PROVIDER_SAYS_OTHERWISE' | 'OTHER_AMOUNT';

/** Compares an attempt with the provider's payout. */
export const findPayoutProblem = (
  own: OwnAttempt & {
    readonly amountPaise: bigint;
    /**
     * The proceeds of the sale. A difference between our own two amounts is reported by
     * `sell_without_payout`.
     */
    readonly proceedsPaise: bigint | null;
    readonly providerPayoutId: string | null;
  },
  theirs: { readonly status: ProviderStatus; readonly amountPaise: bigint | undefined },
): PayoutProblem | undefined => {
  const isLost = theirs.status === 'NO_SUCH_PAYOUT' && own.providerPayoutId !== null;
  if (isLost || !agreeing[ownStatus(own)].includes(theirs.status)) return 'PROVIDER_SAYS_OTHERWISE';
  const { amountPaise } = theirs;
  const isOurs = amountPaise === own.amountPaise || amountPaise === own.proceedsPaise;
  return amountPaise === undefined || isOurs ? undefined : 'OTHER_AMOUNT';
};

const stuckMs = 24 * 60 * 60_000;

/** A payout id that can't exist. A provider that answers "not found" to it can be reached. */
const noSuchPayout = 'pout_00000000000000';

type AttemptRow = {
  readonly since: Date;
  readonly payoutId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly payoutStatus: string;
  readonly amountPaise: bigint;
  /** The proceeds of the sale. */
  readonly proceedsPaise: bigint | null;
  readonly attempt: number;
  readonly isNewest: boolean;
  readonly attemptStatus: string;
  readonly provider: string;
  readonly providerPayoutId: string | null;
  /** The reference of the attempt, unique for each attempt. */
  readonly reference: string;
};

interface Answer {
  readonly status: ProviderStatus;
  readonly amountPaise: Paise | undefined;
}

/** Matches a payout `p` that has been PROCESSING for a day, or PENDING although it may be sent. */
const isStuck = (now: Date): Sql => {
  const before = addMs(now, -stuckMs);
  return sql`
    ((p.status = 'PROCESSING'
        AND coalesce(p.dispatched_at, p.updated_at) < ${before}::timestamptz)
      OR (p.status = 'PENDING' AND p.updated_at < ${before}::timestamptz
        AND (NOT p.approval_required OR p.approved_at IS NOT NULL)))`;
};

/** Matches a payout `p` that failed or was reversed over a day ago and was not retried since. */
const isUnretried = (now: Date): Sql => sql`
  (p.status IN ('FAILED', 'REVERSED')
    AND p.updated_at < ${addMs(now, -stuckMs)}::timestamptz)`;

const findStuck = ({ read, now }: CheckContext) =>
  findRows(
    read,
    sql`
      SELECT CASE WHEN p.status IN ('FAILED', 'REVERSED') THEN p.updated_at
          ELSE coalesce(p.dispatched_at, p.updated_at) END AS since, p.id AS "payoutId",
        p.order_id AS "orderId", p.user_id AS "userId", p.status AS "payoutStatus",
        p.amount_paise AS "amountPaise", p.attempt, p.provider,
        p.provider_payout_id AS "providerPayoutId"
      FROM payout p
      WHERE (p.status IN ('PENDING', 'PROCESSING') AND ${isStuck(now)}) OR ${isUnretried(now)}`,
  );

/**
 * Lists the attempts of the window's payouts and of all open payouts. It leaves out stuck payouts,
 * since they are findings already.
 */
const listAttempts = ({ read, now, from }: CheckContext, { after, upTo, limit }: RowsRequest) =>
  read<AttemptRow>(sql`
    SELECT a.started_at AS since, p.id AS "payoutId", p.order_id AS "orderId",
      p.user_id AS "userId", p.status AS "payoutStatus", p.amount_paise AS "amountPaise",
      o.proceeds_paise AS "proceedsPaise",
      a.attempt_no AS attempt, a.attempt_no = p.attempt AS "isNewest", a.status AS "attemptStatus",
      a.provider, a.provider_payout_id AS "providerPayoutId", a.idempotency_key AS reference
    FROM (${payoutsSince(from)}) AS recent JOIN payout p ON p.id = recent.id
    JOIN payout_attempt a ON a.payout_id = p.id
    JOIN gold_order o ON o.id = p.order_id
    WHERE NOT ${isStuck(now)} AND a.idempotency_key > ${after}
      AND (${upTo ?? null}::text IS NULL OR a.idempotency_key <= ${upTo ?? null}::text)
    ORDER BY a.idempotency_key
    LIMIT ${limit}::int`);

const toAnswer = (payout: ProviderPayout | undefined): Answer => ({
  status: payout?.status ?? 'NO_SUCH_PAYOUT',
  amountPaise: payout?.amountPaise,
});

const fetchAttempt = async (
  provider: PayoutProvider,
  { providerPayoutId: id, reference }: Pick<AttemptRow, 'providerPayoutId' | 'reference'>,
): Promise<Fetched<Answer>> => {
  const found =
    id === null ? await provider.findPayoutByReference(reference) : await provider.getPayout(id);
  return toFetched(provider.code, found, {
    onDone: toAnswer,
    onRefused: (code) => (code === PAYOUT_NOT_FOUND ? toAnswer(undefined) : undefined),
  });
};

const fetchPayout = async (
  provider: PayoutProvider,
  row: Pick<AttemptRow, 'provider' | 'providerPayoutId' | 'reference'>,
): Promise<Fetched<Answer>> =>
  provider.code === row.provider
    ? fetchAttempt(provider, row)
    : `there is no adapter for ${row.provider}`;

/** The statuses that normally do not change any more. A paid payout may still be reversed. */
const endStatuses: ReadonlySet<ProviderStatus> = new Set(['PAID', 'FAILED', 'REVERSED']);

/** The payouts in the provider's own list of a window. */
interface ListedPayouts {
  /** The answers, by the provider's payout id and by our reference. */
  readonly answers: ReadonlyMap<string, Answer>;
  readonly payouts: readonly ProviderPayout[];
  /** The reason why the list was not read to its end. Absent if it was. */
  readonly incomplete?: string;
}

/**
 * The margin in ms before the window. The provider may create a payout just before its attempt is
 * recorded here.
 */
const marginMs = 5 * 60_000;

/** Reads the provider's list of the window's payouts, page by page. */
const listAtProvider = async (
  provider: PayoutProvider,
  { from, now, limits }: CheckContext,
): Promise<ListedPayouts> => {
  const answers = new Map<string, Answer>();
  const payouts: ProviderPayout[] = [];
  const [since, to] = [addMs(from, -marginMs), addMs(now, marginMs)];
  const incomplete = await readPages(limits, async (page) =>
    toFetched(provider.code, await provider.listPayouts({ from: since, to, page }), {
      onDone: ({ payouts: pageOfPayouts, hasMore }) => {
        payouts.push(...pageOfPayouts);
        for (const payout of pageOfPayouts) {
          const answer = toAnswer(payout);
          answers.set(payout.providerPayoutId, answer);
          if (payout.referenceId !== undefined) answers.set(payout.referenceId, answer);
        }
        return { hasMore };
      },
      onRefused: () => undefined,
    }),
  );
  return { answers, payouts, ...(incomplete !== undefined && { incomplete }) };
};

const noProvider = 'no payout provider is configured';

/** Checks that the provider can be reached. Returns the reason if it cannot. */
const probe = async (
  provider: PayoutProvider,
  limits: FetchLimits,
): Promise<string | undefined> => {
  const item = { provider: provider.code, providerPayoutId: noSuchPayout, reference: '' };
  const single = { items: [item], total: 1 };
  return (await fetchEach(single, limits, (row) => fetchPayout(provider, row))).incomplete;
};

/**
 * Finds payouts that have been in progress for over a day, and failed or reversed payouts that were
 * not retried for a day. It finds attempts whose status or amount differs from the provider's. It
 * also finds payouts of the provider that have a reference of this service, but no attempt here.
 */
export const payoutStuck: Check = {
  id: 'payout_stuck',
  title: 'A payout was left for over 24 hours, under way or failed, or the provider disagrees',
  severity: 'high',
  callsCollaborator: true,
  async run(context) {
    const { payoutProvider, limits } = context;
    const stuck = await findStuck(context);
    if (payoutProvider === undefined) {
      return mergeFindings(stuck, { ...noFindings, incomplete: noProvider });
    }
    const listed = await listAtProvider(payoutProvider, context);
    if (listed.incomplete !== undefined) {
      return mergeFindings(stuck, { ...noFindings, incomplete: listed.incomplete });
    }
    const lost = await findLostPayouts(context.read, listed.payouts);
    const compared = await compareRows<AttemptRow, Answer, PayoutProblem>(context, {
      kind: 'PAYOUT_ATTEMPT',
      collaborator: payoutProvider.code,
      list: (request) => listAttempts(context, request),
      keyOf: ({ reference }) => reference,
      // A payout that is missing in the list, or differs from our row, is queried.
      isListed(row) {
        const answer = listed.answers.get(row.providerPayoutId ?? row.reference);
        return answer !== undefined && findPayoutProblem(row, answer) === undefined;
      },
      fetchAnswer: (row) => fetchPayout(payoutProvider, row),
      findProblem: findPayoutProblem,
      isFinal: (_row, { status }) => endStatuses.has(status),
    });
    const differing = toFindings(compared, ({ status, amountPaise }) => ({
      atProvider: status,
      amountAtProviderPaise: amountPaise === undefined ? null : toSafePaise(amountPaise),
    }));
    const found = mergeFindings(stuck, lost, differing);
    if (compared.total > 0) return found;
    const incomplete = await probe(payoutProvider, limits);
    return incomplete === undefined ? found : mergeFindings(found, { ...noFindings, incomplete });
  },
};
