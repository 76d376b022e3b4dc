import { Secret, TOTP } from 'otpauth';

/**
 * The period of a code, in seconds, and its form. Every authenticator app supports them (RFC 6238).
 */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226 requires the length of the hash. */
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
 * Returns the period that a code belongs to, or undefined for a wrong one. A period before and
 * after the present one count too, for clocks that differ and people who type slowly.
 */
export const periodOfCode = (secret: string, code: string, at: Date): number | undefined => {
  const totp = totpOf(secret);
  const timestamp = at.getTime();
  const delta = totp.validate({ token: code, timestamp, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
};

/** Returns the code of a moment, as the app shows it. It is for tests and the demo. */
export const totpCode = (secret: string, at: Date): string =>
  totpOf(secret).generate({ timestamp: at.getTime() });
