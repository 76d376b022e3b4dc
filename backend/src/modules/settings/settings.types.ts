import { paise, type Paise } from '../../money/index.ts';

/** The limits that operators set, in paise. */
export const limitNames = [
  'minBuyPaise',
  'maxBuyPaise',
  'dailyBuyPaise',
  'minSellPaise',
  'maxSellPaise',
  'minSipPaise',
  'maxSipPaise',
  'deliveryFeePaise',
  'freeDeliveryFromPaise',
  'mandateMaxPaise',
  'maxOpenDeliveryPaise',
] as const;

export type LimitName = (typeof limitNames)[number];
export type Limits = Readonly<Record<LimitName, Paise>>;

/** The limits until an operator sets others. */
export const defaultLimits: Limits = {
  minBuyPaise: paise(1000n),
  maxBuyPaise: paise(20_000_000n),
  dailyBuyPaise: paise(50_000_000n),
  minSellPaise: paise(1000n),
  maxSellPaise: paise(50_000_000n),
  minSipPaise: paise(1000n),
  maxSipPaise: paise(10_000_000n),
  deliveryFeePaise: paise(9900n),
  freeDeliveryFromPaise: paise(500_000n),
  mandateMaxPaise: paise(1_500_000n),
  maxOpenDeliveryPaise: paise(100_000_000n),
};

/** A feature flag for clients. The service itself reads no flag. */
export interface Flag {
  readonly key: string;
  readonly enabled: boolean;
  readonly description: string | null;
  /** True if `GET /config` of the customer API shows the flag to all clients. */
  readonly isPublic: boolean;
  readonly updatedAt: Date;
}

/** An announcement that clients show. */
export interface Banner {
  /** The id that the operator chose. */
  readonly id: string;
  readonly title: string;
  readonly body: string | null;
  readonly imageUrl: string | null;
  readonly linkUrl: string | null;
  readonly active: boolean;
  /** Banners with lower positions come first. */
  readonly position: number;
  /** The time from which it is shown, inclusive. Null means that there is no start. */
  readonly startsAt: Date | null;
  /** The time until which it is shown, exclusive. Null means that there is no end. */
  readonly endsAt: Date | null;
}
