export const payoutOutcomes = ['processed', 'failed', 'rejected', 'reversed'] as const;
export const validationOutcomes = ['active', 'invalid', 'failed'] as const;
export const payoutDeliverModes = ['webhook', 'none', 'duplicate', 'delayed'] as const;

/** Chooses how the provider's webhook of an outcome is delivered. */
export interface DeliveryOptions {
  readonly deliver?: (typeof payoutDeliverModes)[number] | undefined;
  /** The delay of `delayed`, in real time. */
  readonly delayMs?: number | undefined;
}

/** Ends a payout with this outcome. */
export interface PayoutPlay extends DeliveryOptions {
  readonly outcome: (typeof payoutOutcomes)[number];
}

/** Ends a penny-drop with this outcome. */
export interface ValidationPlay extends DeliveryOptions {
  readonly outcome: (typeof validationOutcomes)[number];
}

/** Shows a payout to people. */
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

/** Shows a penny-drop to people. */
export interface ValidationSummary {
  readonly id: string;
  readonly referenceId: string | null;
  readonly status: string;
  readonly accountStatus: string | null;
  readonly name: string;
  readonly accountLast4: string;
  readonly createdAt: string;
}

/** Ends the payouts and penny-drops of a payout provider. */
export interface PayoutSimulator {
  /**
   * Ends a payout. Finds it by the provider's id, or the newest attempt by the payout's id of the
   * service. Returns undefined for an unknown payout.
   */
  play(id: string, play: PayoutPlay): PayoutSummary | undefined;
  /**
   * Ends a penny-drop. Finds it by the provider's id, or the newest of a bank account. Returns
   * undefined for an unknown penny-drop.
   */
  playValidation(id: string, play: ValidationPlay): ValidationSummary | undefined;
  /** Lists the newest `count` payouts, newest first. */
  payouts(count: number): readonly PayoutSummary[];
  validations(count: number): readonly ValidationSummary[];
}
