import type { ProfileName } from '../lib/settings.ts';

/**
 * Returns a suite's profile.
 * @throws Error of one line if the suite has no profile of this name.
 */
export const profileOf = <Profile>(
  suite: string,
  profiles: Readonly<Partial<Record<ProfileName, Profile>>>,
  name: ProfileName,
): Profile => {
  const found = profiles[name];
  if (found !== undefined) return found;
  throw new Error(`${suite} has no profile ${name}: ${Object.keys(profiles).join(', ')}`);
};
