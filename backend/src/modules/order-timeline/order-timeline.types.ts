/** The kinds of entries of an order's timeline (contract: operators > Order timeline). */
export const orderTimelineKinds = [
  'quote',
  'provider_call',
  'gateway_call',
  'webhook',
  'transition',
  'payment',
  'payment_transition',
  'movement',
  'reservation',
  'payout_attempt',
  'payout_transition',
  'job',
  'resolution',
] as const;
export type OrderTimelineKind = (typeof orderTimelineKinds)[number];

/**
 * The details of an entry: ids, amounts in paise, grams as text and durations in ms. They hold no
 * personal data.
 */
export type OrderTimelineData = Readonly<Record<string, unknown>>;

export interface OrderTimelineEntry {
  readonly at: Date;
  readonly kind: OrderTimelineKind;
  /** The operator's e-mail address, another actor as the order's history names it, or null. */
  readonly actor: string | null;
  readonly data: OrderTimelineData;
}
