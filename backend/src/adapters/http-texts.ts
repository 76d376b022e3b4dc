/** Returns the authorisation of a key and its secret by HTTP's basic scheme. */
export const basicAuthorization = (keyId: string, keySecret: string): string =>
  `Basic ${Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64')}`;

/**
 * Writes a value that comes from outside as one segment of a path. Dots alone would be a way up or
 * nowhere, in whatever form they are written: the client refuses such a path (`UNFIT_PATH`).
 */
export const inPath = encodeURIComponent;

/** Text without what could be a part of an account number: runs of four digits and more. */
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
