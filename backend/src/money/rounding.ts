/**
 * Names every rounding of the service. All of them operate on integers. A fraction can only appear
 * in a quotient, so every rounding is the rounding of a division.
 */

const requirePositive = (divisor: bigint): void => {
  if (divisor <= 0n) throw new RangeError('a divisor must be positive');
};

/** Divides towards minus infinity. */
export const divideFloor = (dividend: bigint, divisor: bigint): bigint => {
  requirePositive(divisor);
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
};

/** Divides towards plus infinity. */
export const divideCeiling = (dividend: bigint, divisor: bigint): bigint =>
  -divideFloor(-dividend, divisor);

/**
 * Divides to the nearest integer. A half is rounded away from zero, so that -x rounds to the
 * negative of what x rounds to.
 */
export const divideHalfUp = (dividend: bigint, divisor: bigint): bigint => {
  requirePositive(divisor);
  const size = dividend < 0n ? -dividend : dividend;
  const rounded = (size * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
};
