import { selectRows, sql, type Db } from '../../platform/db/index.ts';

/** The sections of legal content. Each section has a public route. */
export const legalSections = ['entity', 'provider', 'pricing'] as const;
export type LegalSection = (typeof legalSections)[number];

/** The version of a policy in force, which is the newest verified version that has taken effect. */
export interface PolicyInForce {
  readonly slug: string;
  readonly version: string;
  readonly title: string;
  /** The text, or null if the text is at `url`. */
  readonly body: string | null;
  readonly url: string | null;
  readonly effectiveFrom: Date;
}

/** Returns the version of a policy that is in force, or undefined if no verified version is. */
export const policyVersionInForce = async (
  db: Db,
  slug: string,
  now: Date,
): Promise<string | undefined> => {
  const row = await db.policyVersion.findFirst({
    where: { slug, verified: true, effectiveFrom: { lte: now } },
    orderBy: [{ effectiveFrom: 'desc' }, { createdAt: 'desc' }, { id: 'desc' }],
    select: { version: true },
  });
  return row?.version;
};

/** Returns the verified facts of a section, by their keys. */
export const readFacts = async (
  db: Db,
  section: LegalSection,
): Promise<Readonly<Record<string, string>>> => {
  const rows = await db.legalField.findMany({
    where: { section, verified: true },
    orderBy: { key: 'asc' },
    select: { key: true, value: true },
  });
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
};

/** The merchant's name before an operator has verified a legal name. */
const defaultMerchantName = 'Digital Gold';

/** Returns the merchant's name for notices of payments. */
export const readMerchantName = async (db: Db): Promise<string> =>
  (await readFacts(db, 'entity'))['legalName'] ?? defaultMerchantName;

/**
 * Returns the versions of all policies that are in force, ordered by slug. The query is raw SQL, because
 * Prisma's model API would read the text of every version.
 */
export const listPoliciesInForce = (db: Db, now: Date): Promise<PolicyInForce[]> =>
  selectRows<PolicyInForce>(
    db,
    sql`
      SELECT DISTINCT ON (slug) slug, version, title, body, url, effective_from AS "effectiveFrom"
      FROM policy_version WHERE verified AND effective_from <= ${now}::timestamptz
      ORDER BY slug, effective_from DESC, created_at DESC, id DESC`,
  );

/** Returns true if the policy has any version, even if none is in force. */
export const isKnownPolicy = async (db: Db, slug: string): Promise<boolean> =>
  (await db.policyVersion.findFirst({ where: { slug }, select: { id: true } })) !== null;
