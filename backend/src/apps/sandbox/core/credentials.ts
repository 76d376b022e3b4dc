import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares two secrets in constant time, even if their lengths differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

/** Returns the hex HMAC-SHA256 of a message. */
export const hexHmac = (secret: string, message: string | Buffer): string =>
  createHmac('sha256', secret).update(message).digest('hex');

/** Returns the base64 HMAC-SHA256 of a message. */
export const base64Hmac = (secret: string, message: string | Buffer): string =>
  createHmac('sha256', secret).update(message).digest('base64');

/** Returns `id:secret` of HTTP basic authentication, or an empty text without it. */
export const basicCredentials = ({ authorization = '' }: IncomingHttpHeaders): string => {
  const encoded = /^Basic (\S+)$/u.exec(authorization)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
};
