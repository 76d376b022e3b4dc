import type { z } from 'zod';
import { decimalFromDatabase, gramsToDatabase } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { ownProofView } from './proof.schemas.ts';
import { findOwnPlace, findStatement } from './statements.store.ts';
import { readPath } from './tree.store.ts';
import { hashOf, saltOf, sumOf } from './tree.ts';

const noLeaf = 'You held no gold at the time of this statement, so you are not included in it.';
const proofDeleted = 'Proofs are kept for seven days. The statement itself stays public.';

/**
 * Returns a customer's own leaf of a statement, with its path to the root.
 * @throws AppError NOT_FOUND if there is no statement, if its proofs were deleted, or if the customer
 *   held no gold
 */
export const readOwnProof = async (
  db: Db,
  userId: string,
  day?: string,
): Promise<z.output<typeof ownProofView>> => {
  const published = await findStatement(db, day);
  if (published === undefined) throw new AppError('NOT_FOUND');
  const { runId, accounts, signed, signatures } = published;
  const place = await findOwnPlace(db, runId, userId);
  if (place === undefined || place.saltKey === null) {
    throw new AppError('NOT_FOUND', { message: proofDeleted });
  }
  const { runNumber, saltKey, position, grams } = place;
  if (position === null || grams === null) throw new AppError('NOT_FOUND', { message: noLeaf });
  const path = await readPath(db, runNumber, { position, accounts });
  return {
    format: 'proof-of-gold/1',
    customer: userId,
    grams: decimalFromDatabase(grams),
    salt: saltOf(saltKey, userId).toString('base64url'),
    position,
    path: path.map((node) => ({
      hash: hashOf(node).toString('base64url'),
      grams: gramsToDatabase(sumOf(node)),
    })),
    signed,
    signatures: [...signatures],
  };
};
