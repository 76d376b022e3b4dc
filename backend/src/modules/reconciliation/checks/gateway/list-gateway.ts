import { z } from 'zod';
import {
  GATEWAY_NOT_FOUND,
  type AccountLists,
  type AccountPage,
  type AccountPageRequest,
  type GatewayPayment,
  type PaymentGateway,
} from '../../../../adapters/payment-gateway/port.ts';
import { addMs } from '../../../../platform/clock/clock.ts';
import { sql } from '../../../../platform/db/index.ts';
import type { Outcome } from '../../../../platform/outcome/outcome.ts';
import { fetchEach, toFetched } from '../../fetch-each.ts';
import { mergeFindings, noFindings } from '../../findings.ts';
import { readPages } from '../../read-pages.ts';
import type { CheckContext, Findings, Read, Sample } from '../../reconciliation.types.ts';
import {
  findByReceipts,
  findOwners,
  findUnbooked,
  findUnrecorded,
  toCaptureSample,
  type Capture,
  type GatewayReversal,
} from './gateway-rows.ts';

/**
 * The margin in ms around a list's window. Clocks may differ, and rows may be created while the
 * list is read.
 */
const marginMs = 5 * 60_000;
/** The maximum age in ms of a dispute that is lost within the window. */
const disputeMs = 180 * 24 * 60 * 60_000;

/**
 * The form of this service's receipts. A receipt of another form belongs to another user of the
 * account.
 */
const ownReceipt = z.uuid();

/** Collects findings page by page. It counts all findings and keeps a few as samples. */
interface Collector {
  add(samples: readonly Sample[]): void;
  /** Stores the first reason why a list could not be read in full. */
  markIncomplete(reason: string | undefined): void;
  findings(): Findings;
}

const createCollector = (): Collector => {
  let found: Findings = noFindings;
  let incomplete: string | undefined;
  return {
    add(samples) {
      found = mergeFindings(found, { count: samples.length, samples });
    },
    markIncomplete(reason) {
      incomplete ??= reason;
    },
    findings: () => ({ ...found, ...(incomplete !== undefined && { incomplete }) }),
  };
};

/**
 * Reads one list of an account page by page, and keeps no rows. Returns the reason why the list was
 * not read to its end, or undefined if it was.
 */
const walkList = async <T>(
  { limits, now }: CheckContext,
  code: string,
  list: {
    readonly since: Date;
    readonly getPage: (request: AccountPageRequest) => Promise<Outcome<AccountPage<T>>>;
    readonly onPage: (page: AccountPage<T>) => Promise<void>;
  },
): Promise<string | undefined> => {
  const to = addMs(now, marginMs);
  return readPages(limits, async (page) => {
    const fetched = toFetched(code, await list.getPage({ from: list.since, to, page }), {
      onDone: (answer) => answer,
      onRefused: () => undefined,
    });
    if (typeof fetched === 'string') return fetched;
    await list.onPage(fetched.answer);
    return { answer: { hasMore: fetched.answer.hasMore } };
  });
};

/**
 * Finds the captures of gateway orders that are unknown here but belong to this service. It queries
 * each gateway order for its receipt, which is the id of the payment order. A gateway order with a
 * receipt of another form belongs to another user of the account, and is not queried again.
 */
const findLostCaptures = async (
  { read, limits, agreements }: CheckContext,
  gateway: PaymentGateway,
  captures: readonly Capture[],
): Promise<Findings> => {
  if (captures.length === 0) return noFindings;
  const comparison = { kind: 'FOREIGN_ORDER', collaborator: gateway.code };
  const ids = [...new Set(captures.map(({ payment }) => payment.gatewayOrderId))];
  const foreign = (await agreements?.find(comparison, ids)) ?? new Map<string, string>();
  const items = ids.filter((id) => !foreign.has(id));
  const fetched = await fetchEach({ items, total: items.length }, limits, async (id) =>
    toFetched(gateway.code, await gateway.getOrder(id), {
      onDone: ({ receipt }) => receipt,
      onRefused: (code) => (code === GATEWAY_NOT_FOUND ? '' : undefined),
    }),
  );
  const receipts = new Map(fetched.answers.map(({ item, answer }) => [item, answer]));
  const isOwn = (id: string): boolean => ownReceipt.safeParse(receipts.get(id)).success;
  const owners = await findByReceipts(
    read,
    [...receipts.values()].filter((receipt) => ownReceipt.safeParse(receipt).success),
  );
  const foreignIds = [...receipts.keys()].filter((id) => !isOwn(id));
  await agreements?.keep(
    comparison,
    foreignIds.map((subject) => ({ subject, fingerprint: comparison.kind })),
  );
  const samples = captures
    .filter(({ payment }) => isOwn(payment.gatewayOrderId))
    .map((capture) =>
      toCaptureSample(capture, owners.get(receipts.get(capture.payment.gatewayOrderId) ?? '')),
    );
  const { incomplete } = fetched;
  return { count: samples.length, samples, ...(incomplete !== undefined && { incomplete }) };
};

/**
 * Names a payment order that has payments which can't be read. Returns undefined if there is none.
 * The payments of other users of the account do not count. A null stands for a payment without a
 * readable gateway order, which may be ours.
 */
const describeUnread = async (
  read: Read,
  gateway: string,
  orderIds: readonly (string | null)[],
): Promise<string | undefined> => {
  if (orderIds.length === 0) return undefined;
  if (orderIds.includes(null)) return `${gateway} lists rows that cannot be read`;
  const knownIds = orderIds.flatMap((id) => id ?? []);
  const [owner] = (await findOwners(read, gateway, knownIds)).values();
  if (owner === undefined) return undefined;
  return `${gateway} lists rows of payment order ${owner.paymentOrderId} that cannot be read`;
};

const walkPayments = async (
  context: CheckContext,
  gateway: PaymentGateway,
  lists: AccountLists,
  collector: Collector,
): Promise<string | undefined> => {
  const { read, from } = context;
  const { code } = gateway;
  return walkList(context, code, {
    since: addMs(from, -marginMs),
    getPage: (request) => lists.payments(request),
    async onPage({ rows, unreadSubjects }) {
      collector.markIncomplete(await describeUnread(read, code, unreadSubjects));
      const captures = rows.flatMap((row): Capture[] => {
        const { gatewayOrderId } = row;
        if (row.status !== 'CAPTURED' || gatewayOrderId === null) return [];
        const payment: GatewayPayment = { ...row, gatewayOrderId };
        return [{ gateway: code, payment }];
      });
      const unbooked = await findUnbooked(read, captures);
      if (unbooked.length === 0) return;
      const ids = unbooked.map(({ payment }) => payment.gatewayOrderId);
      const owners = await findOwners(read, code, ids);
      const known = unbooked.filter(({ payment }) => owners.has(payment.gatewayOrderId));
      collector.add(
        known.map((capture) =>
          toCaptureSample(capture, owners.get(capture.payment.gatewayOrderId)),
        ),
      );
      const unknown = unbooked.filter(({ payment }) => !owners.has(payment.gatewayOrderId));
      const lost = await findLostCaptures(context, gateway, unknown);
      collector.add(lost.samples);
      collector.markIncomplete(lost.incomplete);
    },
  });
};

/**
 * Names a recorded payment that has refunds or disputes which can't be read. Returns undefined if
 * there is none. A null stands for a row without a readable payment, which may be ours.
 */
const describeUnreadReversals = async (
  read: Read,
  gateway: string,
  paymentIds: readonly (string | null)[],
): Promise<string | undefined> => {
  if (paymentIds.length === 0) return undefined;
  if (paymentIds.includes(null)) return `${gateway} lists rows that cannot be read`;
  const knownIds = paymentIds.flatMap((id) => id ?? []);
  const [known] = await read<{ id: string }>(sql`
    SELECT g.gateway_payment_id AS id FROM gateway_payment g
    WHERE g.gateway = ${gateway} AND g.gateway_payment_id = ANY (${knownIds}::text[]) LIMIT 1`);
  return known && `${gateway} lists rows of payment ${known.id} that cannot be read`;
};

type ListedReversal = Omit<GatewayReversal, 'gateway' | 'kind'>;

const walkReversals = async <T extends { readonly status: string }>(
  context: CheckContext,
  collector: Collector,
  list: {
    readonly code: string;
    readonly kind: GatewayReversal['kind'];
    readonly since: Date;
    readonly getPage: (request: AccountPageRequest) => Promise<Outcome<AccountPage<T>>>;
    /** Returns the reversal of a row, or undefined while the row has not taken any money. */
    readonly toReversal: (row: T) => ListedReversal | undefined;
  },
): Promise<string | undefined> => {
  const { code: gateway, kind } = list;
  return walkList(context, gateway, {
    ...list,
    async onPage({ rows, unreadSubjects }) {
      collector.markIncomplete(
        await describeUnreadReversals(context.read, gateway, unreadSubjects),
      );
      const reversals = rows.flatMap((row): GatewayReversal[] => {
        const reversal = list.toReversal(row);
        return reversal === undefined ? [] : [{ ...reversal, gateway, kind }];
      });
      collector.add(await findUnrecorded(context.read, reversals));
    },
  });
};

/**
 * Compares a gateway's own lists of the window with our books. Finds captures that are not booked,
 * and refunds and lost disputes that are not recorded, of captures of any age.
 */
export const listGateway = async (
  context: CheckContext,
  gateway: PaymentGateway,
  lists: AccountLists,
): Promise<Findings> => {
  const { from } = context;
  const { code } = gateway;
  const collector = createCollector();
  const walks = [
    () => walkPayments(context, gateway, lists, collector),
    () =>
      walkReversals(context, collector, {
        code,
        kind: 'REFUND',
        since: addMs(from, -marginMs),
        getPage: (request) => lists.refunds(request),
        toReversal: ({ status, refundId: reference, createdAt: occurredAt, ...row }) =>
          status === 'PROCESSED' ? { ...row, reference, occurredAt } : undefined,
      }),
    () =>
      walkReversals(context, collector, {
        code,
        kind: 'DISPUTE',
        since: addMs(from, -disputeMs),
        getPage: (request) => lists.disputes(request),
        toReversal: ({ status, disputeId: reference, createdAt: occurredAt, ...row }) =>
          status === 'LOST' ? { ...row, reference, occurredAt } : undefined,
      }),
  ];
  for (const walk of walks) {
    const incomplete = await walk();
    collector.markIncomplete(incomplete);
    if (incomplete !== undefined) break;
  }
  return collector.findings();
};
