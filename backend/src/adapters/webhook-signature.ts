import { createHmac, timingSafeEqual } from 'node:crypto';

interface SignedMessage {
  readonly message: string | Uint8Array;
  /** The signature of the request, which may be missing or have any form. */
  readonly signature: unknown;
  readonly encoding: 'hex' | 'base64';
  /** The current secrets. There are two while a secret is being replaced. */
  readonly secrets: readonly string[];
}

/**
 * Returns true if the signature is the HMAC-SHA256 of the message under one of the secrets. The time
 * depends neither on the matching secret nor on the first wrong byte of a signature.
 */
export const isSigned = ({ message, signature, encoding, secrets }: SignedMessage): boolean => {
  if (typeof signature !== 'string') return false;
  const given = Buffer.from(signature, encoding);
  let isGenuine = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(message).digest();
    // The decoder skips invalid characters, so the text must also equal the encoding of its bytes.
    const fits = given.length === expected.length && timingSafeEqual(given, expected);
    isGenuine = (fits && given.toString(encoding) === signature) || isGenuine;
  }
  return isGenuine;
};

/** Returns an object with the event id of a header. It is empty if the id can't be stored. */
export const eventIdIn = (
  headers: Readonly<Record<string, unknown>>,
  name: string,
): { eventId?: string } => {
  const id = headers[name];
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? { eventId: id } : {};
};
