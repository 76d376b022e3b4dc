import { selectRows, sql, type Db } from '../../platform/db/index.ts';

/** The parts of legal content, as the public routes name them. */
export const legalSections = ['entity', 'provider', 'pricing'] as const;
export type LegalSection = (typeof legalSections)[number];

/** A verified version of a policy that has taken effect, the newest of its slug. */
export interface PolicyInForce {
  readonly slug: string;
  readonly version: string;
  readonly title: string;
  /** Null where the text stands at `url`. */
  readonly body: string | null;
  readonly url: string | null;
  readonly effectiveFrom: Date;
}

/**
 * Returns the version of a policy in force at `at`, or undefined before there is a verified one.
 */
export const policyVersionInForce = async (
  db: Db,
  slug: string,
  at: Date,
): Promise<string | undefined> => {
  const row = await db.policyVersion.findFirst({
    where: { slug, verified: true, effectiveFrom: { lte: at } },
    orderBy: [{ effectiveFrom: 'desc' }, { createdAt: 'desc' }, { id: 'desc' }],
    select: { version: true },
  });
  return row?.version;
};

/** Returns the verified facts of a section, by their names. */
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

/** Until an operator has verified the legal name. */
const unnamedMerchant = 'Digital Gold';

/** Returns the name by which customers know the merchant, for notices of payments. */
export const readMerchantName = async (db: Db): Promise<string> =>
  (await readFacts(db, 'entity'))['legalName'] ?? unnamedMerchant;

/**
 * Returns every policy in force at `at`, by slug. The model API would read the text of every
 * version and keep one of each policy.
 */
export const listPoliciesInForce = (db: Db, at: Date): Promise<PolicyInForce[]> =>
  selectRows<PolicyInForce>(
    db,
    sql`
      SELECT DISTINCT ON (slug) slug, version, title, body, url, effective_from AS "effectiveFrom"
      FROM policy_version WHERE verified AND effective_from <= ${at}::timestamptz
      ORDER BY slug, effective_from DESC, created_at DESC, id DESC`,
  );

/** Returns true for a policy with any version, published or not. */
export const isKnownPolicy = async (db: Db, slug: string): Promise<boolean> =>
  (await db.policyVersion.findFirst({ where: { slug }, select: { id: true } })) !== null;
