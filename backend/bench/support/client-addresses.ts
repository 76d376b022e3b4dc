/**
 * The number of clients. Each client has a separate limit, so a benchmark has many clients instead
 * of a higher limit.
 */
const clients = 60_000;

/** Returns client addresses in turns, so many that none comes near its limit. */
export const createClientAddresses = (): { next(): string } => {
  let at = 0;
  return {
    next() {
      at = (at + 1) % clients;
      return `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
    },
  };
};
