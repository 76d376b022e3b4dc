/** The number of addresses in 10.0.0.0/8. */
const addressCount = 2 ** 24;

/**
 * Returns address number `index` of 10.0.0.0/8, counted from `seed`. Each address is a separate
 * client.
 */
export const clientAddress = (seed: number, index: number): string => {
  const number = (seed + index) % addressCount;
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
};

/** The number of /56s for IPv6 clients here, in 2001:db8::/32, which is reserved for examples. */
const groupCount = 2 ** 24;

/**
 * Returns the address of an IPv6 client, in the /64 `part` of the /56 number `index`, counted from
 * `seed`.
 */
export const ipv6Address = (seed: number, index: number, part: number): string => {
  const number = (seed + index) % groupCount;
  const [high, low] = [number >> 8, ((number & 255) << 8) | part];
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::1`;
};

/**
 * Returns a number to count addresses from, so that a run does not share clients with an earlier
 * run.
 */
export const addressSeed = (random: number): number => Math.floor(random * addressCount);

type Headers = Readonly<Record<string, string>>;

/**
 * Returns the header that the one trusted hop sends for `address`. A hop appends the address of its
 * peer.
 */
export const forwardedFor = (address: string): Headers => ({ 'x-forwarded-for': address });

/**
 * Returns the hop's headers if the client sent `pretended` in every header that it controls. Only
 * the last entry is the hop's. Without `address` a real hop appends it.
 */
export const forgedHeaders = (pretended: string, address: string | undefined): Headers[] => {
  const appended = address === undefined ? '' : `, ${address}`;
  const own = address === undefined ? {} : forwardedFor(address);
  return [
    { 'x-forwarded-for': `${pretended}${appended}` },
    { 'x-forwarded-for': `127.0.0.1, ${pretended}${appended}` },
    { ...own, 'x-real-ip': pretended },
    { ...own, 'x-client-ip': pretended },
    { ...own, forwarded: `for=${pretended}` },
  ];
};
