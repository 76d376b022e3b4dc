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
  /** SMS_PER_MINUTE: all codes of a minute. */
  readonly perMinute: number;
  /** SMS_CUSTOMER_SHARE_PERCENT: the share of each minute's codes that is kept for customers. */
  readonly customerSharePercent: number;
}

/** Returns the address for which a send is counted, and the network of an IPv6 client. */
export const sendOriginOf = (ip: string): Pick<NewSend, 'address' | 'network'> => {
  const address = addressGroup(ip);
  // `addressGroup` returns an IPv4 address that is mapped to IPv6 as the IPv4 address.
  const network = isIPv6(address.replace(/\/\d+$/u, '')) ? addressGroup(ip, 48) : null;
  return { address, network };
};

/** The window of the limits that count the sends of all clients. */
const totalWindowMs = 60_000;

/** Returns the limits of a send, the narrowest first. */
const limitsOf = (
  { perAddressHour, perNetworkHour, perMinute, customerSharePercent }: SendLimits,
  { address, network, audience }: NewSend,
): readonly (readonly [SendResult & `${string}_limit`, SendLimit])[] => {
  const inHour = { windowMs: addressWindowMs };
  const inMinute = { windowMs: totalWindowMs };
  const hundredths = perMinute * (100 - customerSharePercent);
  const forStrangers = Math.max(1, (hundredths - (hundredths % 100)) / 100);
  return [
    ['address_limit', { group: { address }, maxSends: perAddressHour, ...inHour }],
    ...(network === null
      ? []
      : [['network_limit', { group: { network }, maxSends: perNetworkHour, ...inHour }] as const]),
    ...(audience === 'stranger' && customerSharePercent > 0
      ? [['stranger_limit', { group: { audience }, maxSends: forStrangers, ...inMinute }] as const]
      : []),
    ['total_limit', { group: 'sent', maxSends: perMinute, ...inMinute }],
  ];
};

/** A limit that a send would exceed, and the seconds until the send is allowed. */
interface ExceededLimit {
  readonly result: SendResult & `${string}_limit`;
  readonly waitSeconds: number;
}

/** Limits the sends to each phone within the window of `secondsToNextSend`. */
const maxSendsPerPhone: Readonly<Record<CodePurpose, number>> = {
  login: 5,
  'mpin-reset': 5,
  deletion: 3,
};

/** Returns the limit that a send would exceed, or undefined if the send is allowed. */
export const findExceededLimit = async (
  tx: Db,
  limits: SendLimits,
  send: NewSend,
): Promise<ExceededLimit | undefined> => {
  const now = send.sentAt;
  const sends = await listRecentSends(tx, send, now);
  const waitSeconds = secondsToNextSend(sends, maxSendsPerPhone[send.purpose], now);
  if (waitSeconds > 0) return { result: 'phone_limit', waitSeconds };
  for (const [result, limit] of limitsOf(limits, send)) {
    const blocking = await findBlockingSend(tx, limit, now);
    if (blocking === undefined) continue;
    return { result, waitSeconds: msBetween(now, addMs(blocking, limit.windowMs)) / 1000 };
  }
  return undefined;
};
