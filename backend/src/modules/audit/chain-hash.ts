import { createHash } from 'node:crypto';

/** An entry of the chain: its number, from 1 without gaps, and its hash in lower-case hex. */
export interface ChainLink {
  readonly number: bigint;
  readonly hash: string;
}

/** Comes before the first entry. */
export const chainStart: ChainLink = { number: 0n, hash: '00'.repeat(32) };

const fieldOf = (value: string | null): string =>
  value === null ? '-' : `${Buffer.byteLength(value)}:${value}`;

/**
 * Returns the hash of an entry, in hex: over its number, the hash before and the row's columns as
 * PostgreSQL writes them as text. The migration of the chain has the same function; it is worked
 * out here again so that a verification trusts nothing but the rows.
 */
export const chainHash = (
  number: bigint,
  previous: string,
  columns: readonly (string | null)[],
): string =>
  createHash('sha256')
    .update([String(number), previous, ...columns].map(fieldOf).join(','))
    .digest('hex');
