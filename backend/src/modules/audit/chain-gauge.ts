import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { chainStart, findChainHash, readChainHead, type ChainLink } from './audit-chain.store.ts';

/** 52 bits: what a float holds exactly. */
const hexDigits = 13;

/**
 * Publishes the head of the audit chain whenever metrics are read, so that its history stands
 * outside the database: a number that falls is a tail that was cut off. It also compares the entry
 * that was the head at the reading before, because entries that were rewritten keep their
 * numbers. A head that was found changed stays the one that is compared, so the finding stays too.
 */
export const createChainGauge = ({
  db,
  registry,
  logger,
}: {
  readonly db: Pick<Db, 'auditChain'>;
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
  const changed = new Gauge({
    name: 'audit_chain_noted_head_changed',
    help: '1 while the entry that was the head at an earlier reading is gone or has another hash.',
    registers,
  });
  changed.set(0);
  let noted: ChainLink = chainStart;

  const isUnchanged = async ({ number: at, hash: before }: ChainLink): Promise<boolean> =>
    at === chainStart.number || (await findChainHash(db, at)) === before;

  return async () => {
    try {
      const head = await readChainHead(db);
      const isKept = await isUnchanged(noted);
      changed.set(isKept ? 0 : 1);
      if (isKept) noted = head;
      number.set(Number(head.number));
      hash.set(Number.parseInt(head.hash.slice(0, hexDigits), 16));
    } catch (error) {
      logger.warn({ err: error }, 'the head of the audit chain could not be read');
    }
  };
};
