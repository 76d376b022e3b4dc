import { addSeconds } from '../../platform/clock/clock.ts';

export const accessTokenSeconds = 15 * 60;
/** The life of an access token, and what the clocks of two processes may differ by. */
export const revokedSeconds = accessTokenSeconds + 60;
/**
 * Counted from the sign-in: however it is used, a session ends (contract: limits > Lifetimes). A
 * biometric token that is not used for as long as the longest session ends too.
 */
export const sessionSeconds = 180 * 24 * 60 * 60;

/**
 * Returns the moment since which a biometric token must have been issued or used to be good now.
 */
export const biometricTokensSince = (now: Date): Date => addSeconds(now, -sessionSeconds);
