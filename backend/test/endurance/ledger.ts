import { ApiError } from '@digital-gold/client';

/** The requests that begin something under a key. */
type Kind = 'buy' | 'sale' | 'plan' | 'order of jewellery';

/** The result of a request that began something. */
export interface Placed {
  readonly kind: Kind;
  /** Sends it, again and again the same, and returns the id of what it began. */
  readonly send: () => Promise<Begun>;
  /** The id in an answer. Every later answer must have the same id. */
  id?: string;
  /** Counts the tries without a decision. */
  tries: number;
}

export interface Begun {
  readonly id: string;
  readonly status: number;
  /** The gateway's order, which the customer pays. */
  readonly gatewayOrderId?: string | undefined;
  readonly paymentOrderId?: string | undefined;
}

/** Something that must never happen. */
interface Finding {
  readonly what: string;
  readonly detail: string;
}

/** Keeps what was acknowledged, and counts everything that was answered. */
export interface Ledger {
  readonly acknowledged: Placed[];
  /** Requests without a decision, which their clients send again. */
  readonly open: Set<Placed>;
  readonly findings: Finding[];
  count(request: string, answer: string): void;
  find(what: string, detail: string): void;
  /** Counts of answers by request. */
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

/** Names an answer for the counts: a refusal by its code, silence as what it is. */
export const answerOf = (error: unknown): string => {
  if (error instanceof ApiError) return `${error.status} ${error.code ?? 'of something else'}`;
  return 'no answer';
};

/** Refusals after which the same request may still be done: the client sends it again. */
const undecided = new Set(['REQUEST_IN_PROGRESS', 'SELL_UNDER_REVIEW', 'RATE_LIMITED']);

/**
 * A closed gate is checked before anything else, so the request has no effect. A sale that the
 * provider refused is over, and each repeat gets that answer.
 */
const decided = new Set(['PAYMENTS_DISABLED', 'PROVIDER_REFUSED', 'SELL_DISABLED']);

/**
 * A sale whose verify had no readable answer is over: nothing is sold, now or at a repeat. A buy of
 * which the provider gave none was not begun, and its client sends it again.
 */
const decidedOfSales = new Set([...decided, 'PROVIDER_UNAVAILABLE']);

/** Returns true if an answer leaves the result of the request open. */
export const isUndecided = (kind: Placed['kind'], error: unknown): boolean => {
  if (!(error instanceof ApiError)) return true;
  const code = error.code ?? '';
  const isDecided = (kind === 'sale' ? decidedOfSales : decided).has(code);
  return (error.status >= 500 && !isDecided) || error.status === 401 || undecided.has(code);
};
