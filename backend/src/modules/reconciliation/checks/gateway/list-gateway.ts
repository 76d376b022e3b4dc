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

/** Collects findings page by page. It counts all of them and keeps a few as samples. */
interface Collected {
  add(samples: readonly Sample[]): void;
  /** Stores the first reason why a list could not be read in full. */
  leave(reason: string | undefined): void;
  result(): Findings;
}

const createCollected = (): Collected => {
  let found: Findings = noFindings;
  let incomplete: string | undefined;
  return {
    add(samples) {
      found = mergeFindings(found, { count: samples.length, samples });
    },
    leave(reason) {
      incomplete ??= reason;
    },
    result: () => ({ ...found, ...(incomplete !== undefined && { incomplete }) }),
  };
};

/** Reads one list of an account page by page. Only `onPage` keeps rows of a page. */
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
    const read = toFetched(code, await list.getPage({ from: list.since, to, page }), {
      onDone: (answer) => answer,
      onRefused: () => undefined,
    });
    if (typeof read === 'string') return read;
    await list.onPage(read.answer);
    return { answer: { hasMore: read.answer.hasMore } };
  });
};

/**
 * Finds the payment orders of captures with unknown gateway orders. Each gateway order is queried:
 * its receipt is the payment order's id, even if the gateway order's id was lost here. An order
 * with a receipt of another form belongs to another user of the account.
 */
const findStrangers = async (
  { read, limits, agreements }: CheckContext,
  gateway: PaymentGateway,
  captures: readonly Capture[],
): Promise<Findings> => {
  if (captures.length === 0) return noFindings;
  const about = { kind: 'FOREIGN_ORDER', collaborator: gateway.code };
  const ids = [...new Set(captures.map(({ payment }) => payment.gatewayOrderId))];
  const foreign = (await agreements?.find(about, ids)) ?? new Map<string, string>();
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
  const others = [...receipts.keys()].filter((id) => !isOwn(id));
  await agreements?.keep(
    about,
    others.map((subject) => ({ subject, print: about.kind })),
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
 * Describes which payment order has rows that can't be read. Rows of other users of the account do
 * not count.
 */
const describeUnread = async (
  read: Read,
  gateway: string,
  about: readonly (string | null)[],
): Promise<string | undefined> => {
  if (about.length === 0) return undefined;
  if (about.includes(null)) return `${gateway} lists rows that cannot be read`;
  const named = about.flatMap((id) => id ?? []);
  const [owner] = (await findOwners(read, gateway, named)).values();
  if (owner === undefined) return undefined;
  return `${gateway} lists rows of payment order ${owner.paymentOrderId} that cannot be read`;
};

const walkPayments = async (
  context: CheckContext,
  gateway: PaymentGateway,
  lists: AccountLists,
  collected: Collected,
): Promise<string | undefined> => {
  const { read, from } = context;
  const { code } = gateway;
  return walkList(context, code, {
    since: addMs(from, -marginMs),
    getPage: (request) => lists.payments(request),
    async onPage({ rows, unreadAbout }) {
      collected.leave(await describeUnread(read, code, unreadAbout));
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
      collected.add(
        known.map((capture) =>
          toCaptureSample(capture, owners.get(capture.payment.gatewayOrderId)),
        ),
      );
      const strange = unbooked.filter(({ payment }) => !owners.has(payment.gatewayOrderId));
      const strangers = await findStrangers(context, gateway, strange);
      collected.add(strangers.samples);
      collected.leave(strangers.incomplete);
    },
  });
};

/** Describes the rows that can't be read if they are of recorded payments. */
const describeUnreadReversals = async (
  read: Read,
  gateway: string,
  about: readonly (string | null)[],
): Promise<string | undefined> => {
  if (about.length === 0) return undefined;
  if (about.includes(null)) return `${gateway} lists rows that cannot be read`;
  const named = about.flatMap((id) => id ?? []);
  const [known] = await read<{ id: string }>(sql`
    SELECT g.gateway_payment_id AS id FROM gateway_payment g
    WHERE g.gateway = ${gateway} AND g.gateway_payment_id = ANY (${named}::text[]) LIMIT 1`);
  return known && `${gateway} lists rows of payment ${known.id} that cannot be read`;
};

type ListedReversal = Omit<GatewayReversal, 'gateway' | 'kind'>;

const walkReversals = async <T extends { readonly status: string }>(
  context: CheckContext,
  collected: Collected,
  list: {
    readonly code: string;
    readonly kind: GatewayReversal['kind'];
    readonly since: Date;
    readonly getPage: (request: AccountPageRequest) => Promise<Outcome<AccountPage<T>>>;
    /** Returns the reversal of a row, or undefined if it is none. */
    readonly read: (row: T) => ListedReversal | undefined;
  },
): Promise<string | undefined> => {
  const { code: gateway, kind } = list;
  return walkList(context, gateway, {
    ...list,
    async onPage({ rows, unreadAbout }) {
      collected.leave(await describeUnreadReversals(context.read, gateway, unreadAbout));
      const reversals = rows.flatMap((row): GatewayReversal[] => {
        const reversal = list.read(row);
        return reversal === undefined ? [] : [{ ...reversal, gateway, kind }];
      });
      collected.add(await findUnrecorded(context.read, reversals));
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
  const collected = createCollected();
  const walks = [
    () => walkPayments(context, gateway, lists, collected),
    () =>
      walkReversals(context, collected, {
        code,
        kind: 'REFUND',
        since: addMs(from, -marginMs),
        getPage: (request) => lists.refunds(request),
        read: ({ status, refundId: reference, createdAt: occurredAt, ...row }) =>
          status === 'PROCESSED' ? { ...row, reference, occurredAt } : undefined,
      }),
    () =>
      walkReversals(context, collected, {
        code,
        kind: 'DISPUTE',
        since: addMs(from, -disputeMs),
        getPage: (request) => lists.disputes(request),
        read: ({ status, disputeId: reference, createdAt: occurredAt, ...row }) =>
          status === 'LOST' ? { ...row, reference, occurredAt } : undefined,
      }),
  ];
  for (const walk of walks) {
    const silence = await walk();
    collected.leave(silence);
    if (silence !== undefined) break;
  }
  return collected.result();
};
