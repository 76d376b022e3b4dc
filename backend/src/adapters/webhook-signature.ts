import { createHmac, timingSafeEqual } from 'node:crypto';

interface SignedMessage {
  readonly message: string | Uint8Array;
  /** Unvalidated: it may be missing or anything. */
  readonly signature: unknown;
  readonly encoding: 'hex' | 'base64';
  /** The secrets in force. While one is being replaced there are two. */
  readonly secrets: readonly string[];
}

/**
 * Returns true for the HMAC-SHA256 of the message under one of the secrets. Takes the same
 * time whichever secret fits and wherever a wrong signature begins to differ.
 */
export const isSigned = ({ message, signature, encoding, secrets }: SignedMessage): boolean => {
  if (typeof signature !== 'string') return false;
  const given = Buffer.from(signature, encoding);
  let isGenuine = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(message).digest();
    // A decoder skips what is no digit, so the text is held against its own decoding as well.
    const fits = given.length === expected.length && timingSafeEqual(given, expected);
    isGenuine = (fits && given.toString(encoding) === signature) || isGenuine;
  }
  return isGenuine;
};

/**
 * Returns the event id of a header, in an object to spread. The object is empty if the id can't be
 * stored.
 */
export const eventIdIn = (
  headers: Readonly<Record<string, unknown>>,
  name: string,
): { eventId?: string } => {
  const id = headers[name];
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? { eventId: id } : {};
};
