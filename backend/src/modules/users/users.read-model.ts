import {
  joinSql,
  noSql,
  selectOne,
  selectRows,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import {
  canonicalEmail,
  offsetOf,
  withSingleBlanks,
  type Page,
} from '../../platform/http/index.ts';
import { readPhone, type KycStatus } from '../identity/index.ts';

/** The terms of a search. A customer is found by any of them. */
interface UserSearch {
  readonly id: string | undefined;
  /** E.164. */
  readonly phone: string | undefined;
  /** `LIKE` patterns for folded names and emails. */
  readonly namePattern: string;
  readonly emailPatterns: readonly string[];
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
/** A shorter text contains no trigram, so it is only searched at the beginning of a name or email. */
const minTrigramLength = 3;

/** Folds text as the index does, so that compatibility forms and capitals are the same letters. */
const foldText = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Escapes the wildcards of a `LIKE` pattern. */
const escapePattern = (text: string): string => text.replaceAll(/[\\%_]/gu, String.raw`\$&`);

/**
 * Reads the text that an operator typed: an id, a phone in any usual spelling, or a part of a name
 * or email. One or two characters match only the beginning of a name or email.
 */
const readUserSearch = (typed: string): UserSearch => {
  const folded = foldText(typed.trim());
  const isShort = Array.from(folded).length < minTrigramLength;
  const patternOf = (part: string) => `${isShort ? '' : '%'}${escapePattern(part)}%`;
  return {
    id: uuid.test(folded) ? folded : undefined,
    phone: readPhone(folded),
    // Names are stored with single blanks.
    namePattern: patternOf(withSingleBlanks(folded)),
    // An international domain may be typed in its own letters, but it is stored in encoded form.
    emailPatterns: [...new Set([folded, canonicalEmail(folded)])].map(patternOf),
  };
};

/** A customer as operators see them. A deleted customer is a tombstone without personal data. */
export interface UserRow {
  readonly id: string;
  readonly phone: string | null;
  readonly fullName: string | null;
  readonly email: string | null;
  readonly referralCode: string;
  readonly providerUserId: string | null;
  readonly mpinSet: boolean;
  readonly kycStatus: KycStatus;
  readonly blocked: boolean;
  readonly blockedReasonSealed: string | null;
  readonly deletedAt: Date | null;
  readonly createdAt: Date;
}

interface UserFilter {
  /** The text that an operator typed: a phone, email, name or id. */
  readonly q?: string | undefined;
  readonly blocked?: boolean | undefined;
  readonly kycStatus?: KycStatus | undefined;
}

/* These expressions are spelled as in the index, which another spelling would not use. */
const foldedName = sql`lower(normalize(u.full_name, NFKC) COLLATE "und-x-icu")`;
const foldedEmail = sql`lower(normalize(u.email, NFKC) COLLATE "und-x-icu")`;

const matchesText = (typed: string): Sql => {
  const { id, phone, namePattern, emailPatterns } = readUserSearch(typed);
  return sql`(${foldedName} LIKE ${namePattern} OR ${joinSql(
    emailPatterns.map((pattern) => sql`${foldedEmail} LIKE ${pattern}`),
    ' OR ',
  )}
    ${phone === undefined ? noSql : sql`OR u.phone = ${phone}`}
    ${id === undefined ? noSql : sql`OR u.id = ${id}::uuid`})`;
};

const hasKycStatus = (status: KycStatus): Sql =>
  status === 'PENDING'
    ? // A customer who has submitted nothing may have no record.
      sql`NOT EXISTS (
        SELECT FROM kyc_record k WHERE k.user_id = u.id AND k.status <> 'PENDING')`
    : sql`EXISTS (SELECT FROM kyc_record k WHERE k.user_id = u.id AND k.status = ${status})`;

const whereOf = ({ q, blocked, kycStatus }: UserFilter): Sql =>
  joinSql(
    [
      sql`true`,
      ...(q === undefined ? [] : [matchesText(q)]),
      ...(blocked === undefined ? [] : [blocked ? sql`u.blocked` : sql`NOT u.blocked`]),
      ...(kycStatus === undefined ? [] : [hasKycStatus(kycStatus)]),
    ],
    ' AND ',
  );

/** Selects the columns that operators see of the users `u`, with the state of their KYC. */
const selectFrom = (users: Sql): Sql => sql`
  SELECT u.id::text AS id, u.phone, u.full_name AS "fullName", u.email,
    u.referral_code AS "referralCode", u.provider_user_id AS "providerUserId",
    u.mpin_hash IS NOT NULL AS "mpinSet", coalesce(k.status, 'PENDING') AS "kycStatus",
    u.blocked, u.blocked_reason_sealed AS "blockedReasonSealed",
    u.deleted_at AS "deletedAt", u.created_at AS "createdAt"
  FROM ${users} LEFT JOIN kyc_record k ON k.user_id = u.id`;

/** Selects a page of the customers that a filter finds, newest first. */
export const pageSql = (filter: UserFilter, page: Page): Sql => sql`
  ${selectFrom(sql`(
    SELECT u.* FROM app_user u WHERE ${whereOf(filter)}
    ORDER BY u.created_at DESC, u.id DESC
    LIMIT ${page.limit}::int OFFSET ${offsetOf(page)}::int) AS u`)}
  ORDER BY u.created_at DESC, u.id DESC`;

/** Counts the customers that a filter finds. */
export const countSql = (filter: UserFilter): Sql =>
  sql`SELECT count(*)::int AS total FROM app_user u WHERE ${whereOf(filter)}`;

/**
 * Returns a page of the customers that a filter finds, newest first, and the number of all of them.
 * Blocked and deleted customers are included.
 */
export const searchUsers = async (
  db: Db,
  filter: UserFilter,
  page: Page,
): Promise<{ readonly rows: readonly UserRow[]; readonly total: number }> => {
  const [rows, countRow] = await Promise.all([
    selectRows<UserRow>(db, pageSql(filter, page)),
    selectOne<{ total: number }>(db, countSql(filter)),
  ]);
  return { rows, total: countRow?.total ?? 0 };
};

/**
 * Returns one customer as the search shows them, including a blocked or deleted one, or undefined
 * for an unknown id.
 */
export const findUserRow = (db: Db, id: string): Promise<UserRow | undefined> =>
  selectOne<UserRow>(db, sql`${selectFrom(sql`app_user u`)} WHERE u.id = ${id}::uuid`);

/** An event of a customer's security. */
export interface SecurityEventRow {
  readonly kind: string;
  readonly ip: string;
  readonly deviceId: string | null;
  readonly count: number;
  readonly at: Date;
}

/** Returns the newest events of a customer's security. */
export const listSecurityEvents = (
  db: Db,
  userId: string,
  limit: number,
): Promise<SecurityEventRow[]> =>
  db.securityEvent.findMany({
    where: { userId },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: limit,
    select: { kind: true, ip: true, deviceId: true, count: true, at: true },
  });
