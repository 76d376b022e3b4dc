/** Returns a number with its noun, such as `1 check` or `2 checks`. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;
