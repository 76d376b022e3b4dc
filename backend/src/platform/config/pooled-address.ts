/**
 * Returns true if an address declares a pooler in transaction mode with `pgbouncer=true`. Such a
 * pooler refuses startup parameters and gives each transaction another session, so no state may be
 * kept in a session.
 */
export const isPooled = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';
