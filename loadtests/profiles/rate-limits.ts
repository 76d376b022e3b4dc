import { profileOf } from './profile-of.ts';
import type { ProfileName } from '../lib/settings.ts';

interface RateLimitProfile {
  /** Clients at once, at each API. */
  readonly clients: number;
  /** Windows that each client lives through. */
  readonly windows: number;
  /** The requests that a client has in progress at once. */
  readonly requestsAtOnce: number;
}

/** The number of clients and the duration: `windows` times a little over a window. */
export const rateLimitProfiles = {
  smoke: { clients: 2, windows: 1, requestsAtOnce: 5 },
  load: { clients: 40, windows: 2, requestsAtOnce: 10 },
  soak: { clients: 5, windows: 30, requestsAtOnce: 20 },
} as const satisfies Partial<Record<ProfileName, RateLimitProfile>>;

/** Returns a profile. */
export const rateLimitProfile = (name: ProfileName): RateLimitProfile =>
  profileOf<RateLimitProfile>('rate-limits', rateLimitProfiles, name);
