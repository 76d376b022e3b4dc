import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { readChainHead } from './audit-chain.store.ts';

/** 52 bits: what a float holds exactly. */
const hexDigits = 13;

/**
 * Publishes the head of the audit chain whenever metrics are read, so that its history stands
 * outside the database: a number that falls is a tail that was cut off.
 */
export const createChainGauge = ({
  db,
  registry,
  logger,
}: {
  readonly db: Db;
  readonly registry: Registry;
  readonly logger: Pick<Logger, 'warn'>;
}): (() => Promise<void>) => {
  const registers = [registry];
  const number = new Gauge({
    name: 'audit_chain_head_number',
    help: 'Entries of the audit chain; never falls.',
    registers,
  });
  const hash = new Gauge({
    name: 'audit_chain_head_hash',
    help: `The first ${hexDigits} hex digits of the hash of the last entry, as a number.`,
    registers,
  });
  return async () => {
    try {
      const head = await readChainHead(db);
      number.set(Number(head.number));
      hash.set(Number.parseInt(head.hash.slice(0, hexDigits), 16));
    } catch (error) {
      logger.warn({ err: error }, 'the head of the audit chain could not be read');
    }
  };
};
