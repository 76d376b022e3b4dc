import { Gauge, type Registry } from 'prom-client';
import { countOutdatedApprovals, resealApprovals } from '../modules/approvals/index.ts';
import { countOutdatedRows } from '../modules/audit/index.ts';
import { countOutdatedFactors, resealFactors } from '../modules/second-factor/index.ts';
import {
  countOutdatedNotes,
  countOutdatedTickets,
  resealNotes,
  resealTickets,
} from '../modules/support/index.ts';
import { countOutdatedBodies, resealBodies } from '../modules/webhook-inbox/index.ts';
import type { Vault } from '../platform/crypto/index.ts';
import type { Db, InTransaction } from '../platform/db/index.ts';

/** Counts the values that a key of the ring other than the first one protects. */
export interface OutdatedValues {
  /** Data keys of customers, to be wrapped again. */
  readonly dataKeys: number;
  /** Bodies of webhooks that matched no customer, to be sealed again. */
  readonly webhookBodies: number;
  /** Tickets of people who were not signed in, and notes on them, to be sealed again. */
  readonly tickets: number;
  /** Secrets of authenticator apps, to be sealed again. */
  readonly secondFactors: number;
  /** Requests for approval, to be sealed again. */
  readonly approvals: number;
  /**
   * Audit rows with operators' text about no customer. They stay, since audit rows are never
   * changed.
   */
  readonly auditRows: number;
}

export interface KeyringDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly vault: Pick<Vault, 'keyId' | 'service' | 'rewrap' | 'countOutdated'>;
  readonly batchSize?: number;
}

/** Counts the values that still need an old key of the ring. */
export const countOutdatedValues = async ({
  db,
  vault,
}: Pick<KeyringDeps, 'db' | 'vault'>): Promise<OutdatedValues> => ({
  dataKeys: await vault.countOutdated(db),
  webhookBodies: await countOutdatedBodies(db, vault.keyId),
  tickets:
    (await countOutdatedTickets(db, vault.keyId)) + (await countOutdatedNotes(db, vault.keyId)),
  secondFactors: await countOutdatedFactors(db, vault.keyId),
  approvals: await countOutdatedApprovals(db, vault.keyId),
  auditRows: await countOutdatedRows(db, vault.keyId),
});

/**
 * Moves all values to the first key of PII_KEYRING while the service runs. It wraps the customers'
 * data keys again, and seals the values of the service's own key again. Values that data keys
 * sealed stay unchanged. Each batch is a transaction that skips locked rows, so the rotation may be
 * stopped, run again and run by several processes at once.
 * @returns the number of changed values
 */
export const rotateKeyring = async (
  { vault, inTransaction, batchSize = 500 }: KeyringDeps,
  signal: AbortSignal,
): Promise<Omit<OutdatedValues, 'auditRows'>> => {
  let dataKeys = 0;
  while (!signal.aborted) {
    const count = await inTransaction((tx) => vault.rewrap(tx, batchSize));
    dataKeys += count;
    if (count < batchSize) break;
  }
  const webhookBodies = await resealBodies({ vault, inTransaction, batchSize }, signal);
  const tickets = await resealTickets({ vault, inTransaction, batchSize }, signal);
  const notes = await resealNotes({ vault, inTransaction }, signal);
  const secondFactors = await resealFactors({ vault, inTransaction }, signal);
  const approvals = await resealApprovals({ vault, inTransaction }, signal);
  return { dataKeys, webhookBodies, tickets: tickets + notes, secondFactors, approvals };
};

/**
 * Creates the gauge of the values that still need an old key. It is set after each pass of the
 * sweep.
 */
export const createKeyringMetrics = (registry: Registry) => {
  const outdated = new Gauge({
    name: 'keyring_outdated_values',
    help: 'Values that an old key of PII_KEYRING protects, by kind. Keep the key until this is 0.',
    labelNames: ['kind'],
    registers: [registry],
  });
  return {
    observe({
      dataKeys,
      webhookBodies,
      tickets,
      secondFactors,
      approvals,
      auditRows,
    }: OutdatedValues): void {
      outdated.set({ kind: 'data_keys' }, dataKeys);
      outdated.set({ kind: 'webhook_bodies' }, webhookBodies);
      outdated.set({ kind: 'tickets' }, tickets);
      outdated.set({ kind: 'second_factors' }, secondFactors);
      outdated.set({ kind: 'approvals' }, approvals);
      outdated.set({ kind: 'audit_rows' }, auditRows);
    },
  };
};
