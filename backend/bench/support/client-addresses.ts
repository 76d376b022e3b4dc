/** Each client has a separate limit, and a benchmark never raises a limit: it has many clients. */
const clients = 60_000;

/** Takes turns among so many client addresses that none comes near its limit. */
export const createClientAddresses = (): { next(): string } => {
  let at = 0;
  return {
    next() {
      at = (at + 1) % clients;
      return `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
    },
  };
};
