import { Secret, TOTP } from 'otpauth';

/**
 * The period of a code, in seconds, and its form. Every authenticator app supports them (RFC 6238).
 */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226 recommends a secret of 160 bits, which is the length of the hash. */
const secretBytes = 20;

/** Writes bytes in capitals and digits that people can distinguish. */
export const toBase32 = (bytes: Uint8Array): string =>
  new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;

/** Creates a secret of an authenticator app, in base32. */
export const createTotpSecret = (bytes: (length: number) => Uint8Array): string =>
  toBase32(bytes(secretBytes));

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({ ...form, ...names, secret: Secret.fromBase32(secret) });

/** Returns the address that an authenticator app reads from a QR code. */
export const totpAddress = (
  secret: string,
  names: { readonly issuer: string; readonly label: string },
): string => totpOf(secret, names).toString();

/**
 * Returns the period that a code belongs to, or undefined for a wrong code. The periods before and
 * after the present one also count, for clocks that differ and people who type slowly.
 */
export const periodOfCode = (secret: string, code: string, date: Date): number | undefined => {
  const totp = totpOf(secret);
  const timestamp = date.getTime();
  const delta = totp.validate({ token: code, timestamp, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
};

/** Returns the code that the app shows at a moment. It is for tests and the demo. */
export const totpCode = (secret: string, date: Date): string =>
  totpOf(secret).generate({ timestamp: date.getTime() });
