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
 * * `CHANGED`: the row, or its entry, differs from what was hashed.
 * * `MISSING`: the row, or its entry, is gone.
 * * `INSERTED`: a row came in past the trigger.
 * * `WRONG_HEAD`: the entry that was noted earlier is gone, or has another hash: the tail was cut
 *   off, or everything from some row on was rewritten.
 */
export interface ChainFinding {
  readonly kind: 'CHANGED' | 'MISSING' | 'INSERTED' | 'WRONG_HEAD';
  /** The entry's number. A row without an entry has none. */
  readonly number?: bigint;
  /** The audit row's id. It is absent where the entry is gone. */
  readonly auditId?: string;
}

interface ChainReport {
  /** The last entry. Note it: it is what shows a cut or rewritten tail later. */
  readonly head: ChainLink;
  /** The number of entries that were compared with their rows. */
  readonly verified: bigint;
  /**
   * The first 20 along the chain, then of the rows without an entry, or empty where all is well.
   */
  readonly findings: readonly ChainFinding[];
}

/** Returns what is wrong with an entry, given the one before it. */
const findingsOf = (before: ChainLink, entry: ChainedRow): ChainFinding[] => {
  const { number, auditId, hash, columns } = entry;
  const expected = before.number + 1n;
  // The row before is gone, so that the hash can't be worked out. The next one's can.
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
 * Verifies the whole log in its state at the start, page by page, in constant memory. Rows that are
 * added meanwhile are left to the next verification. `noted` is a head of an earlier day (contract:
 * operators > Audit chain).
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
