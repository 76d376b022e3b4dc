import { addSeconds } from '../../platform/clock/clock.ts';

export const accessTokenSeconds = 15 * 60;
/** The life of an access token, plus the largest difference between the clocks of two processes. */
export const revokedSeconds = accessTokenSeconds + 60;
/**
 * Limits the life of a session from its sign-in, however often it is used (contract: limits >
 * Lifetimes). A biometric token also ends if it is not used for this time.
 */
export const sessionSeconds = 180 * 24 * 60 * 60;

/** Returns the time after which a biometric token must have been issued or used to be valid now. */
export const biometricTokenCutoff = (now: Date): Date => addSeconds(now, -sessionSeconds);
