import { profileOf } from './profile-of.ts';
import type { ProfileName } from '../lib/settings.ts';

interface PriceCadenceProfile {
  /** Event loops of the load generator. */
  readonly listeners: number;
  readonly socketsPerListener: number;
  /** Marks that each socket waits for. */
  readonly marks: number;
  /** The sockets of a listener join one after another, over so much of a tick. */
  readonly joinPart: number;
  /** The lateness allowed after a mark: of 95 ticks in 100, and of every tick. */
  readonly latenessP95Ms: number;
  readonly latenessMaxMs: number;
}

/** The lateness allowed on an idle machine. */
const timely = { latenessP95Ms: 1000, latenessMaxMs: 4000 };
/** Lenient: proves only that it ticks, on a machine that builds and tests meanwhile. */
const roughly = { latenessP95Ms: 3000, latenessMaxMs: 4500 };

/** The number of listeners and the duration: `marks` ticks and a part of a tick. */
export const priceCadenceProfiles = {
  smoke: { listeners: 10, socketsPerListener: 5, marks: 3, joinPart: 0.2, ...roughly },
  load: { listeners: 40, socketsPerListener: 15, marks: 12, joinPart: 1, ...timely },
  soak: { listeners: 20, socketsPerListener: 10, marks: 180, joinPart: 1, ...timely },
  breakpoint: { listeners: 100, socketsPerListener: 100, marks: 4, joinPart: 3, ...timely },
} as const satisfies Partial<Record<ProfileName, PriceCadenceProfile>>;

/**
 * Returns a profile, with another number of sockets or marks if it is given. There are at most as
 * many listeners as in the profile. Each has the same number of sockets, which join as quickly as
 * the profile's.
 */
export const cadenceProfile = (
  name: ProfileName,
  sockets?: number,
  marks?: number,
): PriceCadenceProfile => {
  const known = profileOf<PriceCadenceProfile>('price-cadence', priceCadenceProfiles, name);
  const profile = { ...known, marks: marks ?? known.marks };
  if (sockets === undefined) return profile;
  const listeners = Math.min(profile.listeners, sockets);
  if (sockets % listeners > 0) throw new Error(`SOCKETS must be so many times ${listeners}`);
  const joinPart = (profile.joinPart * sockets) / (profile.listeners * profile.socketsPerListener);
  return { ...profile, listeners, socketsPerListener: sockets / listeners, joinPart };
};
