import { z } from 'zod';
import type { BlindIndex } from '../../platform/crypto/index.ts';

const pattern = /^(?:\+91)?[6-9]\d{9}$/u;

/**
 * Accepts an Indian mobile number with or without `+91`: ten digits, of which the first is 6 to 9.
 * The output always begins with `+91`, so each phone has one spelling everywhere.
 */
export const phoneSchema = z
  .string('must be text')
  .regex(pattern, 'must be a mobile number: +91 and ten digits, the first from 6 to 9')
  .transform((text) => (text.startsWith('+91') ? text : `+91${text}`));

/** Characters that people put between the digits, and prefixes that they write instead of `+91`. */
const separators = /[\s().-]/gu;
const otherPrefix = /^(?:0|91)(?=[6-9]\d{9}$)/u;

/** Reads a phone as an operator types or pastes it. Returns undefined for any other text. */
export const readPhone = (text: string): string | undefined => {
  const digits = text.replaceAll(separators, '').replace(otherPrefix, '');
  return phoneSchema.safeParse(digits).data;
};

/** Hashes a phone with a key, for tables that must not show the phone itself. */
export const hashPhone = (blindIndex: BlindIndex, phone: string): string =>
  blindIndex('phone', phone);

/** Hashes a phone with every known key. The first key's hash comes first. */
export const hashesOfPhone = (
  blindIndex: BlindIndex,
  phone: string,
): readonly [string, ...string[]] => blindIndex.all('phone', phone);
