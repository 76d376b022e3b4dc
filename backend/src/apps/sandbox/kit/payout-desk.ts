export const payoutOutcomes = ['processed', 'failed', 'rejected', 'reversed'] as const;
export const validationOutcomes = ['active', 'invalid', 'failed'] as const;
export const payoutDeliverModes = ['webhook', 'none', 'duplicate', 'delayed'] as const;

/** How the provider tells of what was played. */
export interface PayoutTelling {
  readonly deliver?: (typeof payoutDeliverModes)[number] | undefined;
  /** Of `delayed`, in real time. */
  readonly delayMs?: number | undefined;
}

/** What becomes of a payout. */
export interface PayoutPlay extends PayoutTelling {
  readonly outcome: (typeof payoutOutcomes)[number];
}

/** What becomes of a penny-drop. */
export interface ValidationPlay extends PayoutTelling {
  readonly outcome: (typeof validationOutcomes)[number];
}

/** A payout, for people. */
export interface PayoutSeen {
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
export interface ValidationSeen {
  readonly id: string;
  readonly referenceId: string | null;
  readonly status: string;
  readonly accountStatus: string | null;
  readonly name: string;
  readonly accountLast4: string;
  readonly createdAt: string;
}

/** Where a payout provider's payouts and penny-drops come to their end. */
export interface PayoutDesk {
  /** By the provider's id, or by ours: then its newest attempt. Undefined for an unknown one. */
  play(id: string, play: PayoutPlay): PayoutSeen | undefined;
  /** By the provider's id, or the bank account's: then its newest. Undefined for an unknown one. */
  playValidation(id: string, play: ValidationPlay): ValidationSeen | undefined;
  /** The newest `count`, newest first. */
  payouts(count: number): readonly PayoutSeen[];
  validations(count: number): readonly ValidationSeen[];
}
