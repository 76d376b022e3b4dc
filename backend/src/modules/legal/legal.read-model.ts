import type { Db } from '../../platform/db/index.ts';

/** Returns the version of a policy in force at `at`; undefined before there is a verified one. */
export const policyVersionInForce = async (
  db: Db,
  slug: string,
  at: Date,
): Promise<string | undefined> => {
  const row = await db.policyVersion.findFirst({
    where: { slug, verified: true, effectiveFrom: { lte: at } },
    orderBy: { effectiveFrom: 'desc' },
    select: { version: true },
  });
  return row?.version;
};
