import type { ProfileName } from '../lib/settings.ts';

export interface PriceCadenceProfile {
  /** Event loops of the load generator. */
  readonly listeners: number;
  readonly socketsPerListener: number;
  /** Marks that each socket waits for. */
  readonly marks: number;
  /** The sockets of a listener join one after another, over so much of a tick. */
  readonly joinPart: number;
}

/** How many listen to the feed, and for how long: `marks` ticks and a part of one. */
export const priceCadenceProfiles: Readonly<Record<ProfileName, PriceCadenceProfile>> = {
  smoke: { listeners: 10, socketsPerListener: 5, marks: 3, joinPart: 0.2 },
  load: { listeners: 40, socketsPerListener: 15, marks: 12, joinPart: 1 },
  soak: { listeners: 20, socketsPerListener: 10, marks: 180, joinPart: 1 },
};
