import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { chainStart, findChainHash, readChainHead, type ChainLink } from './audit-chain.store.ts';

/** Takes 13 hex digits, which are 52 bits, since a float holds them exactly. */
const hexDigits = 13;

/**
 * Publishes the head of the audit chain whenever metrics are read, so that the history of the head
 * is kept outside the database. A number that falls means that the tail was cut off. Rewritten
 * entries keep their numbers, so each reading also compares the entry that was the head at the
 * earlier reading. Once that entry has changed, later readings compare the same entry, so the
 * finding stays.
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
    help: 'Number of entries in the audit chain. It never decreases.',
    registers,
  });
  const hash = new Gauge({
    name: 'audit_chain_head_hash',
    help: `The first ${hexDigits} hex digits of the hash of the last entry, as a number.`,
    registers,
  });
  const changed = new Gauge({
    name: 'audit_chain_noted_head_changed',
    help: '1 if the entry that was the head at an earlier reading is missing or has another hash.',
    registers,
  });
  changed.set(0);
  let notedHead: ChainLink = chainStart;

  const isUnchanged = async (noted: ChainLink): Promise<boolean> =>
    noted.number === chainStart.number || (await findChainHash(db, noted.number)) === noted.hash;

  return async () => {
    try {
      const head = await readChainHead(db);
      const isKept = await isUnchanged(notedHead);
      changed.set(isKept ? 0 : 1);
      if (isKept) notedHead = head;
      number.set(Number(head.number));
      hash.set(Number.parseInt(head.hash.slice(0, hexDigits), 16));
    } catch (error) {
      logger.warn({ err: error }, 'the head of the audit chain could not be read');
    }
  };
};
