import type { Prisma } from '../../generated/prisma/client.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { readPhone, type KycStatus } from '../identity/index.ts';

export interface KycQueueDeps {
  readonly db: Db;
  readonly blindIndex: BlindIndex;
  /** The clock of real time, by which a claim expires. */
  readonly wall: Clock;
}

interface QueueFilter {
  readonly status: KycStatus;
  /** A complete id, phone number, PAN or Aadhaar number, as an operator typed it. */
  readonly q?: string | undefined;
  readonly claim?: 'MINE' | 'OTHERS' | 'NONE' | undefined;
  readonly from?: Date | undefined;
  /** The end of the period, exclusive. */
  readonly to?: Date | undefined;
  readonly order: 'oldest' | 'newest';
  /** The id of the calling operator. */
  readonly adminId: string;
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
const panPattern = /^[A-Z]{5}\d{4}[A-Z]$/u;
const aadhaarPattern = /^[2-9]\d{11}$/u;

/**
 * Returns the condition that a record matches a typed text. The PAN and the Aadhaar are sealed, so they
 * are found only by the keyed hash of the complete number.
 */
const searchConditionOf = ({ blindIndex }: KycQueueDeps, q: string): Prisma.KycRecordWhereInput => {
  const [lower, upper, digits] = [q.toLowerCase(), q.toUpperCase(), q.replaceAll(/[\s-]/gu, '')];
  if (uuidPattern.test(lower)) return { OR: [{ id: lower }, { userId: lower }] };
  if (panPattern.test(upper)) return { panHash: { in: [...blindIndex.all('kyc.pan', upper)] } };
  const phone = readPhone(lower);
  const phoneConditions = phone === undefined ? [] : [{ user: { phone } }];
  // Twelve digits may be an Aadhaar number or a phone number with its country code.
  const aadhaarConditions = aadhaarPattern.test(digits)
    ? [{ aadhaarHash: { in: [...blindIndex.all('kyc.aadhaar', digits)] } }]
    : [];
  return { OR: [...phoneConditions, ...aadhaarConditions] };
};

const claimConditionOf = (
  claim: NonNullable<QueueFilter['claim']>,
  adminId: string,
  now: Date,
): Prisma.KycRecordWhereInput => {
  if (claim === 'NONE') return { OR: [{ claimedUntil: null }, { claimedUntil: { lte: now } }] };
  const claimedBy = claim === 'MINE' ? adminId : { not: adminId };
  return { claimedUntil: { gt: now }, claimedBy };
};

/** Returns a page of records, ordered by time of submission, and the number of matching records. */
export const listKyc = async (
  deps: KycQueueDeps,
  { status, q, claim, from, to, order, adminId }: QueueFilter,
  page: Page,
) => {
  const { db, wall } = deps;
  const submittedAt = {
    ...(from !== undefined && { gte: from }),
    ...(to !== undefined && { lt: to }),
  };
  const where: Prisma.KycRecordWhereInput = {
    status,
    ...(Object.keys(submittedAt).length > 0 && { submittedAt }),
    AND: [
      ...(q === undefined ? [] : [searchConditionOf(deps, q)]),
      ...(claim === undefined ? [] : [claimConditionOf(claim, adminId, wall.now())]),
    ],
  };
  const direction = order === 'oldest' ? 'asc' : 'desc';
  const [rows, total] = await Promise.all([
    db.kycRecord.findMany({
      where,
      orderBy: [{ submittedAt: direction }, { id: direction }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.kycRecord.count({ where }),
  ]);
  return { rows, total };
};
