import { ApiError } from '@digital-gold/client';

/** The kinds of requests that create something with an idempotency key. */
type Kind = 'buy' | 'sale' | 'plan' | 'order of jewellery';

/** A request that creates something with an idempotency key. */
export interface Placed {
  readonly kind: Kind;
  /** Sends the request, which is the same each time, and returns its result. */
  readonly send: () => Promise<Begun>;
  /** The id in the first answer. Every later answer must have the same id. */
  id?: string;
  /** The number of tries. */
  tries: number;
}

export interface Begun {
  readonly id: string;
  readonly status: number;
  /** The gateway's order, which the customer pays. */
  readonly gatewayOrderId?: string | undefined;
  readonly paymentOrderId?: string | undefined;
}

/** An event that must never happen. */
interface Finding {
  readonly what: string;
  readonly detail: string;
}

/** Keeps the acknowledged requests, and counts all answers. */
export interface Ledger {
  readonly acknowledged: Placed[];
  /** Requests without a decision, which their clients repeat. */
  readonly open: Set<Placed>;
  readonly findings: Finding[];
  count(request: string, answer: string): void;
  find(what: string, detail: string): void;
  /** Returns the counts of answers by request. */
  counts(): Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export const createLedger = (): Ledger => {
  const counted: Record<string, Record<string, number>> = {};
  const findings: Finding[] = [];
  return {
    acknowledged: [],
    open: new Set(),
    findings,
    count(request, answer) {
      const answers = (counted[request] ??= {});
      answers[answer] = (answers[answer] ?? 0) + 1;
    },
    find: (what, detail) => void findings.push({ what, detail }),
    counts: () => counted,
  };
};

/** Returns the name of a failed answer for the counts, such as its status and code. */
export const answerOf = (error: unknown): string => {
  if (error instanceof ApiError) return `${error.status} ${error.code ?? 'of something else'}`;
  return 'no answer';
};

/** Refusals after which the client repeats the request, since it may still succeed. */
const undecidedCodes = new Set(['REQUEST_IN_PROGRESS', 'SELL_UNDER_REVIEW', 'RATE_LIMITED']);

/**
 * Refusals that decide a request. A closed gate is checked before anything else, so the request has
 * no effect. A sale that the provider refused is finished, and each repeat gets the same answer.
 */
const decidingCodes = new Set(['PAYMENTS_DISABLED', 'PROVIDER_REFUSED', 'SELL_DISABLED']);

/**
 * Refusals that decide a sale. A sale is finished if the provider's answer to verify could not be
 * read, and is not sold by a repeat. A buy in this case was not created, so its client repeats it.
 */
const decidingCodesOfSales = new Set([...decidingCodes, 'PROVIDER_UNAVAILABLE']);

/** Returns true if an answer leaves the result of the request open. */
export const isUndecided = (kind: Placed['kind'], error: unknown): boolean => {
  if (!(error instanceof ApiError)) return true;
  const code = error.code ?? '';
  const isDecided = (kind === 'sale' ? decidingCodesOfSales : decidingCodes).has(code);
  return (error.status >= 500 && !isDecided) || error.status === 401 || undecidedCodes.has(code);
};
