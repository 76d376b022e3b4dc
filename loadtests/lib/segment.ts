const fraction = (text: string): number => {
  const [above = '', below = '1'] = text.split('/');
  return Number(above) / Number(below);
};

/**
 * Returns the part of `count` for an execution segment such as `1/2:1`, or all of it without a
 * segment. Each of several k6 processes then compares its own count with its own part.
 * @throws Error of one line if it can't be divided evenly, since the parts would depend on k6's
 * rounding.
 */
export const shareOf = (count: number, segment: string | undefined): number => {
  if (segment === undefined || segment === '') return count;
  const [first = '', last] = segment.split(':');
  const [from, to] = last === undefined ? [0, fraction(first)] : [fraction(first), fraction(last)];
  const share = count * (to - from);
  const whole = Math.round(share);
  if (Number.isNaN(share) || Math.abs(share - whole) > 1e-6) {
    throw new Error(`${count} cannot be divided by the execution segment ${segment}`);
  }
  return whole;
};
