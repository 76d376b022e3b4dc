export const payoutOutcomes = ['processed', 'failed', 'rejected', 'reversed'] as const;
export const validationOutcomes = ['active', 'invalid', 'failed'] as const;
export const payoutDeliverModes = ['webhook', 'none', 'duplicate', 'delayed'] as const;

/** How the provider tells of what was played. */
export interface DeliveryOptions {
  readonly deliver?: (typeof payoutDeliverModes)[number] | undefined;
  /** Of `delayed`, in real time. */
  readonly delayMs?: number | undefined;
}

/** What becomes of a payout. */
export interface PayoutPlay extends DeliveryOptions {
  readonly outcome: (typeof payoutOutcomes)[number];
}

/** What becomes of a penny-drop. */
export interface ValidationPlay extends DeliveryOptions {
  readonly outcome: (typeof validationOutcomes)[number];
}

/** A payout, for people. */
export interface PayoutSummary {
  readonly id: string;
  readonly referenceId: string | null;
  readonly idempotencyKey: string;
  readonly amountPaise: number;
  readonly mode: string;
  readonly status: string;
  readonly utr: string | null;
  readonly name: string;
  readonly accountLast4: string;
  readonly createdAt: string;
}

/** A penny-drop, for people. */
export interface ValidationSummary {
  readonly id: string;
  readonly referenceId: string | null;
  readonly status: string;
  readonly accountStatus: string | null;
  readonly name: string;
  readonly accountLast4: string;
  readonly createdAt: string;
}

/** Where a payout provider's payouts and penny-drops come to their end. */
export interface PayoutSimulator {
  /** By the provider's id, or by ours: then its newest attempt. Undefined for an unknown one. */
  play(id: string, play: PayoutPlay): PayoutSummary | undefined;
  /** By the provider's id, or the bank account's: then its newest. Undefined for an unknown one. */
  playValidation(id: string, play: ValidationPlay): ValidationSummary | undefined;
  /** The newest `count`, newest first. */
  payouts(count: number): readonly PayoutSummary[];
  validations(count: number): readonly ValidationSummary[];
}
