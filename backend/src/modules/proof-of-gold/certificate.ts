import type { z } from 'zod';
import { istDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { findEvidence, readCertificateValue } from '../readiness/index.ts';
import type { certificateSchema } from './statement.ts';

/** Reads the custodian's certificate. Returns null unless it is verified and has not expired. */
export const readCertificate = async (
  db: Db,
  now: Date,
): Promise<z.output<typeof certificateSchema> | null> => {
  const evidence = await findEvidence(db, 'custodian_certificate');
  if (evidence?.verified !== true) return null;
  if (evidence.expiresOn !== null && evidence.expiresOn < istDate(now)) return null;
  const figure = readCertificateValue(evidence.value);
  return figure === undefined ? null : { ...figure, document: evidence.reference };
};
