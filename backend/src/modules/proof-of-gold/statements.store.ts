import { z } from 'zod';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { signatureSchema, type SignedStatement } from './statement.ts';

/** A published statement, which never changes. */
export interface Published extends SignedStatement {
  readonly sequence: number;
  readonly runId: string;
  readonly accounts: number;
  readonly publishedAt: Date;
}

interface Row {
  readonly sequence: number;
  readonly runId: string;
  readonly accounts: number;
  readonly signed: string;
  readonly signatures: unknown;
  readonly hash: Uint8Array;
  readonly publishedAt: Date;
}

const storedSignatures = z.array(signatureSchema);

const toPublished = ({ signatures, hash, ...row }: Row): Published => ({
  ...row,
  signatures: storedSignatures.parse(signatures),
  hash: Buffer.from(hash),
});

const whereDay = (day: string | undefined) => (day === undefined ? {} : { day: new Date(day) });

/** Returns the newest statement of all, or of an IST day. */
export const findStatement = async (db: Db, day?: string): Promise<Published | undefined> => {
  const row = await db.proofStatement.findFirst({
    where: whereDay(day),
    orderBy: { sequence: 'desc' },
  });
  return row === null ? undefined : toPublished(row);
};

/** Returns a page of statements, newest first. */
export const listStatements = async (
  db: Db,
  page: Page,
): Promise<{ readonly rows: readonly Published[]; readonly total: number }> => {
  const [rows, total] = await Promise.all([
    db.proofStatement.findMany({
      orderBy: { sequence: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.proofStatement.count(),
  ]);
  return { rows: rows.map(toPublished), total };
};

export const findBySequence = async (db: Db, sequence: number): Promise<Published | undefined> => {
  const row = await db.proofStatement.findUnique({ where: { sequence } });
  return row === null ? undefined : toPublished(row);
};

/** Inserts a statement. Its number must follow the newest statement's. */
export const insertStatement = async (
  tx: Db,
  { hash, signatures, ...row }: Published,
  day: string,
): Promise<void> => {
  await tx.proofStatement.create({
    data: {
      ...row,
      day: new Date(day),
      signatures: signatures.map((signature) => ({ ...signature })),
      hash: new Uint8Array(hash),
    },
  });
};

/** The tree of a statement, and a customer's leaf in it. */
export interface OwnPlace {
  readonly runNumber: number;
  /** Null once the tree was deleted. */
  readonly saltKey: Uint8Array | null;
  /** Null if the customer has no leaf, as are the grams. */
  readonly position: number | null;
  readonly grams: string | null;
}

/** Finds the tree of a run and a customer's leaf in it. */
export const findOwnPlace = (
  db: Db,
  runId: string,
  userId: string,
): Promise<OwnPlace | undefined> =>
  selectOne<OwnPlace>(
    db,
    sql`
      SELECT r.number AS "runNumber", r.salt_key AS "saltKey", l.position, l.grams::text AS grams
      FROM proof_run r
      LEFT JOIN proof_leaf l ON l.run_number = r.number AND l.user_id = ${userId}::uuid
      WHERE r.id = ${runId}::uuid`,
  );
