/**
 * Returns whether an address says that a pooler in transaction mode is in between, as it does by
 * `pgbouncer=true`. Such a pooler refuses what a connection asks for as it starts, and gives each
 * transaction another session: nothing may be kept in one.
 */
export const isPooled = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';
