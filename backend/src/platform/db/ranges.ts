/** Bounds of a column: `gte` and `lt` of times, `gte` and `lte` of amounts. */
interface Bounds<T> {
  gte?: T;
  lt?: T;
  lte?: T;
}

interface Ranges {
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
  readonly minPaise?: bigint | undefined;
  readonly maxPaise?: bigint | undefined;
}

/** Returns the conditions of a list's ranges for Prisma, or undefined for a column without bounds. */
export const boundsOf = ({ from, to, minPaise, maxPaise }: Ranges) => {
  const times: Bounds<Date> = {
    ...(from !== undefined && { gte: from }),
    ...(to !== undefined && { lt: to }),
  };
  const paise: Bounds<bigint> = {
    ...(minPaise !== undefined && { gte: minPaise }),
    ...(maxPaise !== undefined && { lte: maxPaise }),
  };
  return {
    createdAt: Object.keys(times).length === 0 ? undefined : times,
    amount: Object.keys(paise).length === 0 ? undefined : paise,
  };
};
