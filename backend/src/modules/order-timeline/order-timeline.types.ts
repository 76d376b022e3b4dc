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

/** Names ids, amounts in paise, grams as text and durations in ms. It never names a person. */
export type OrderTimelineData = Readonly<Record<string, unknown>>;

export interface OrderTimelineEntry {
  readonly at: Date;
  readonly kind: OrderTimelineKind;
  /** An operator's e-mail address, else what the order's history calls the actor. */
  readonly actor: string | null;
  readonly data: OrderTimelineData;
}
