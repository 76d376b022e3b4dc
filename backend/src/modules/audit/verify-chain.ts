import type { Db } from '../../platform/db/index.ts';
import {
  findChainHash,
  listChainedRows,
  listUnchainedRows,
  readChainHead,
  type ChainedRow,
  chainHash,
  chainStart,
  type ChainLink,
} from './audit-chain.store.ts';

const pageSize = 1000;
const maxFindings = 20;

/**
 * A place at which the log does not match its chain:
 *
 * * `CHANGED`: the row or its entry was changed, so the hash does not match.
 * * `MISSING`: the row or its entry is gone.
 * * `INSERTED`: the row has no entry, so it was inserted without the trigger.
 * * `WRONG_HEAD`: the head that was noted earlier is gone or has another hash. Either the tail was
 *   cut off, or all entries from some row on were rewritten.
 */
export interface ChainFinding {
  readonly kind: 'CHANGED' | 'MISSING' | 'INSERTED' | 'WRONG_HEAD';
  /** The entry's number. A row without an entry has none. */
  readonly number?: bigint;
  /** The audit row's id. It is absent if the entry is gone. */
  readonly auditId?: string;
}

interface ChainReport {
  /** The last entry. Note it, since a later verification needs it to find a cut or rewritten tail. */
  readonly head: ChainLink;
  /** The number of entries that were compared with their rows. */
  readonly verified: bigint;
  /** At most 20 findings along the chain, 20 rows without an entry, and the wrong head. */
  readonly findings: readonly ChainFinding[];
}

/** Compares an entry with the entry before it and with its row. Returns the findings. */
const findingsOf = (before: ChainLink, entry: ChainedRow): ChainFinding[] => {
  const { number, auditId, hash, columns } = entry;
  const expected = before.number + 1n;
  // The entry before this one is gone, so this hash cannot be computed. The next one can.
  if (number !== expected) return [{ kind: 'MISSING', number: expected }];
  if (columns === undefined) return [{ kind: 'MISSING', number, auditId }];
  if (chainHash(number, before.hash, columns) === hash) return [];
  return [{ kind: 'CHANGED', number, auditId }];
};

const checkNotedHead = async (db: Db, noted: ChainLink): Promise<ChainFinding[]> => {
  const hash = noted.number === 0n ? chainStart.hash : await findChainHash(db, noted.number);
  return hash === noted.hash ? [] : [{ kind: 'WRONG_HEAD', number: noted.number }];
};

/**
 * Verifies the whole log as it is at the start, page by page in constant memory. The next
 * verification covers the rows that are added meanwhile. `noted` is the head of an earlier
 * verification (contract: operators > Audit chain).
 */
export const verifyChain = async (db: Db, noted?: ChainLink): Promise<ChainReport> => {
  const head = await readChainHead(db);
  const findings: ChainFinding[] = [];
  let [before, verified] = [chainStart, 0n];
  while (before.number < head.number) {
    const range = { after: before.number, last: head.number, limit: pageSize };
    const page = await listChainedRows(db, range);
    if (page.length === 0) break;
    for (const entry of page) {
      if (findings.length < maxFindings) findings.push(...findingsOf(before, entry));
      before = entry;
    }
    verified += BigInt(page.length);
  }
  const unchained = await listUnchainedRows(db, maxFindings);
  findings.push(...unchained.map(({ auditId }) => ({ kind: 'INSERTED' as const, auditId })));
  if (noted !== undefined) findings.push(...(await checkNotedHead(db, noted)));
  return { head, verified, findings };
};
