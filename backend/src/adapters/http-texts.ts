/** Returns the authorisation of a key and its secret by HTTP's basic scheme. */
export const basicAuthorization = (keyId: string, keySecret: string): string =>
  `Basic ${Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64')}`;

/** Text without what could be a part of an account number: runs of four digits and more. */
export const withoutNumbers = (text: string): string => text.replace(/\d{4,}/g, '…');
