/** Returns the authorisation of a key and its secret by HTTP's basic scheme. */
export const basicAuthorization = (keyId: string, keySecret: string): string =>
  `Basic ${Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64')}`;
