import type { Bps } from '../../money/index.ts';
import type { Sql } from '../../platform/db/index.ts';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { FetchLimits } from './fetch-each.ts';

/** The checks, in the order in which a report has them. */
export const checkIds = [
  'captured_not_allocated',
  'allocated_without_capture',
  'payment_amount_mismatch',
  'gateway_capture_missing',
  'webhook_backlog',
  'holding_balance_drift',
  'holding_invested_drift',
  'provider_transaction_mismatch',
  'duplicate_provider_transaction',
  'sell_without_payout',
  'payout_stuck',
  'payout_over_cap_unapproved',
  'manual_review_open',
] as const;
export type CheckId = (typeof checkIds)[number];

/**
 * The severities of findings.
 *
 * * `critical` means that money or gold is, or may be, in the wrong place.
 * * `high` means that money or gold will be in the wrong place, or that a customer waits, unless an
 *   operator acts.
 * * `medium` means that the problem is recorded and waits for an operator.
 */
export const severities = ['critical', 'high', 'medium'] as const;
type Severity = (typeof severities)[number];

export const checkStatuses = ['OK', 'FINDINGS', 'ERROR'] as const;
type CheckStatus = (typeof checkStatuses)[number];

/** A sample that leads an operator to a row, with ids, states and amounts but no personal data. */
export type Sample = Readonly<Record<string, string | number | boolean | null>>;

export const maxSamples = 20;

/** The findings of one run of a check. */
export interface Findings {
  /** The number of all findings, which may exceed the number of samples. */
  readonly count: number;
  readonly samples: readonly Sample[];
  /** The reason why not all rows were checked. The check then has the status ERROR, never OK. */
  readonly incomplete?: string;
}

/** A row as the database's client returns it. Every column becomes a member of a sample. */
export type Row = Readonly<Record<string, string | number | bigint | boolean | Date | null>>;

/** Runs one statement in a read-only transaction with a time limit. */
export type Read = <T extends object>(query: Sql) => Promise<readonly T[]>;

export interface Collaborators {
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly goldProvider: GoldProvider;
  /**
   * The payout provider, or undefined if none is configured. A check that calls it then has the
   * status ERROR.
   */
  readonly payoutProvider: PayoutProvider | undefined;
}

/** The kind of rows that are compared with a collaborator. */
interface Comparison {
  readonly collaborator: string;
  readonly kind: string;
}

/** The rows that earlier runs found to agree, so that several runs together cover a window. */
export interface Agreements {
  /** Returns the fingerprints that rows had when they agreed, by the keys of the rows. */
  find(comparison: Comparison, subjects: readonly string[]): Promise<ReadonlyMap<string, string>>;
  keep(
    comparison: Comparison,
    rows: readonly { readonly subject: string; readonly fingerprint: string }[],
  ): Promise<void>;
  forget(comparison: Comparison, subjects: readonly string[]): Promise<void>;
}

export interface CheckContext extends Collaborators {
  readonly read: Read;
  /** The business time of the report, which is the end of the window. */
  readonly now: Date;
  /** The tolerance towards the provider's price. */
  readonly priceToleranceBps: Bps;
  /** The start of the window. */
  readonly from: Date;
  /** Bounds the calls to a collaborator. */
  readonly limits: FetchLimits;
  /** The agreements of earlier runs. If absent, every row is queried. */
  readonly agreements?: Agreements;
}

/** One of the 13 checks. If `run` throws, the check has the status ERROR. */
export interface Check {
  readonly id: CheckId;
  readonly title: string;
  readonly severity: Severity;
  /** True for a check that calls a collaborator besides the database. */
  readonly callsCollaborator?: true;
  run(context: CheckContext): Promise<Findings>;
}

export interface CheckResult {
  readonly id: CheckId;
  readonly title: string;
  readonly severity: Severity;
  readonly status: CheckStatus;
  readonly count: number;
  readonly samples: readonly Sample[];
  /** The reason for the status ERROR. */
  readonly detail?: string;
}

export interface Report {
  readonly generatedAt: Date;
  readonly windowHours: number;
  readonly checks: readonly CheckResult[];
}
