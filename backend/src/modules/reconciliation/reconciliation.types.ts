import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { AskLimits } from './ask-each.ts';

/** The checks of decisions, section 9, in the order in which a report has them. */
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
 * critical: money or gold is, or may be, in the wrong place. high: it will be, or a customer
 * waits, unless somebody acts. medium: known, and waiting for a person.
 */
export const severities = ['critical', 'high', 'medium'] as const;
export type Severity = (typeof severities)[number];

export const checkStatuses = ['OK', 'FINDINGS', 'ERROR'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** Leads an operator to a row: ids, states, figures. Never anything personal. */
export type Sample = Readonly<Record<string, string | number | boolean | null>>;

/** How many samples a check shows at most. */
export const mostSamples = 20;

/** What one run of a check found. */
export interface Findings {
  /** All of them, however many samples there are. */
  readonly count: number;
  readonly samples: readonly Sample[];
  /** Why not everything could be looked at: the check then reads ERROR, never OK. */
  readonly incomplete?: string;
}

/** A row as the database's client answers it; every column becomes a member of a sample. */
export type Row = Readonly<Record<string, string | number | bigint | boolean | Date | null>>;

/** Runs one statement in a read-only transaction with a time limit. */
export type Read = <T extends object>(sql: Prisma.Sql) => Promise<readonly T[]>;

export interface Collaborators {
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly goldProvider: GoldProvider;
  /** Undefined where none is configured: what asks it then reads ERROR. */
  readonly payoutProvider: PayoutProvider | undefined;
}

/** What a check is given. */
export interface CheckContext extends Collaborators {
  readonly read: Read;
  /** Business time of the report. */
  readonly now: Date;
  /** Where the window begins. */
  readonly from: Date;
  /** How far a collaborator may be asked. */
  readonly limits: AskLimits;
}

/** One of the 13. What `run` throws makes it read ERROR. */
export interface Check {
  readonly id: CheckId;
  readonly title: string;
  readonly severity: Severity;
  /** Whether it asks a collaborator besides the database. */
  readonly asks?: true;
  run(context: CheckContext): Promise<Findings>;
}

export interface CheckResult {
  readonly id: CheckId;
  readonly title: string;
  readonly severity: Severity;
  readonly status: CheckStatus;
  readonly count: number;
  readonly samples: readonly Sample[];
  /** Only of ERROR: why. */
  readonly detail?: string;
}

export interface Report {
  readonly generatedAt: Date;
  readonly windowHours: number;
  readonly checks: readonly CheckResult[];
}
