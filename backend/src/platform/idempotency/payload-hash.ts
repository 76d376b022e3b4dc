import { createHash } from 'node:crypto';

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .map(([key, child]) => [key, canonical(child)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * Hashes a payload: the same for payloads that parse to the same input, whatever the order of
 * their fields. Pass parsed input, so that unknown fields are left out
 * (contract: conventions > Idempotency).
 */
export const payloadHash = (parsed: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(parsed)))
    .digest('hex');
