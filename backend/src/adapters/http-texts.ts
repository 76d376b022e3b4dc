/** Returns the value of HTTP's basic authorisation for a key and its secret. */
export const basicAuthorization = (keyId: string, keySecret: string): string =>
  `Basic ${Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64')}`;

/**
 * Encodes an external value as one segment of a path. A segment of dots would name another folder,
 * even if it is encoded, so the client refuses such a path (`UNFIT_PATH`).
 */
export const inPath = encodeURIComponent;

/** Replaces runs of four or more digits, which could be a part of an account number. */
export const withoutNumbers = (text: string): string => text.replace(/\d{4,}/g, '…');

/**
 * Returns the meaning of a collaborator's state from a table. A missing or unknown state counts as
 * `open`. Only the table's own keys are looked up, since the state comes from outside.
 */
export const meaningOf = <T>(
  table: Readonly<Record<string, T>>,
  name: string | null | undefined,
  open: T,
): T => (typeof name === 'string' && Object.hasOwn(table, name) ? (table[name] ?? open) : open);
