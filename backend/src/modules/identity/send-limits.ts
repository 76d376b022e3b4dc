import { isIPv6 } from 'node:net';
import { addMs, msBetween } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { addressGroup } from '../../platform/http/index.ts';
import type { SendResult } from './one-time-codes.metrics.ts';
import { addressWindowMs, secondsToNextSend, type CodePurpose } from './one-time-code.rules.ts';
import { findBlockingSend, listRecentSends, type NewSend } from './one-time-codes.store.ts';
import type { SendLimit } from './one-time-codes.store.ts';

/** The limits of sends (contract: limits > Sign-in limits). */
export interface SendLimits {
  /** OTP_SENDS_PER_ADDRESS_HOUR */
  readonly perAddressHour: number;
  /** OTP_SENDS_PER_NETWORK_HOUR */
  readonly perNetworkHour: number;
  /** SMS_PER_MINUTE: of all customers together. */
  readonly perMinute: number;
  /** SMS_CUSTOMER_SHARE_PERCENT: of each minute's codes, for numbers that are customers'. */
  readonly customerSharePercent: number;
}

/** Returns the address and, of an IPv6 client, the network that a send counts for. */
export const sendOriginOf = (ip: string): Pick<NewSend, 'address' | 'network'> => {
  const address = addressGroup(ip);
  // An IPv4 address within an IPv6 one is counted as the former.
  const network = isIPv6(address.replace(/\/\d+$/u, '')) ? addressGroup(ip, 48) : null;
  return { address, network };
};

/** The window of the limits of all sends. */
const totalWindowMs = 60_000;

/** The narrowest is judged first. */
const limitsOf = (
  { perAddressHour, perNetworkHour, perMinute, customerSharePercent }: SendLimits,
  { address, network, audience }: NewSend,
): readonly (readonly [SendResult & `${string}_limit`, SendLimit])[] => {
  const inHour = { windowMs: addressWindowMs };
  const inMinute = { windowMs: totalWindowMs };
  const hundredths = perMinute * (100 - customerSharePercent);
  const forStrangers = Math.max(1, (hundredths - (hundredths % 100)) / 100);
  return [
    ['address_limit', { group: { address }, most: perAddressHour, ...inHour }],
    ...(network === null
      ? []
      : [['network_limit', { group: { network }, most: perNetworkHour, ...inHour }] as const]),
    ...(audience === 'stranger' && customerSharePercent > 0
      ? [['stranger_limit', { group: { audience }, most: forStrangers, ...inMinute }] as const]
      : []),
    ['total_limit', { group: 'sent', most: perMinute, ...inMinute }],
  ];
};

/** A limit that a send would exceed, and how long until it would not. */
interface ExceededLimit {
  readonly result: SendResult & `${string}_limit`;
  readonly waitSeconds: number;
}

/** Limits the sends for each phone within the window of `secondsToNextSend`. */
const maxSends: Readonly<Record<CodePurpose, number>> = {
  login: 5,
  'mpin-reset': 5,
  deletion: 3,
};

/** Returns the limit that a send would exceed, or undefined for none. */
export const findExceededLimit = async (
  tx: Db,
  limits: SendLimits,
  send: NewSend,
): Promise<ExceededLimit | undefined> => {
  const now = send.sentAt;
  const sends = await listRecentSends(tx, send, now);
  const waitSeconds = secondsToNextSend(sends, maxSends[send.purpose], now);
  if (waitSeconds > 0) return { result: 'phone_limit', waitSeconds };
  for (const [result, limit] of limitsOf(limits, send)) {
    const blocking = await findBlockingSend(tx, limit, now);
    if (blocking === undefined) continue;
    return { result, waitSeconds: msBetween(now, addMs(blocking, limit.windowMs)) / 1000 };
  }
  return undefined;
};
