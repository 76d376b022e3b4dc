import { lockText, type Db } from '../../platform/db/index.ts';

/* The tables `legal_field` and `policy_version`. Rows of `policy_version` are never changed. */

export interface LegalField {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  readonly verified: boolean;
  readonly reference: string | null;
  readonly updatedAt: Date;
}

export interface PolicyVersion {
  readonly id: string;
  readonly slug: string;
  readonly version: string;
  readonly title: string;
  readonly body: string | null;
  readonly url: string | null;
  readonly verified: boolean;
  readonly effectiveFrom: Date;
  readonly createdAt: Date;
}

/** Locks the name of a field until the transaction ends. The field need not exist. */
export const lockField = (tx: Db, section: string, key: string): Promise<void> =>
  lockText(tx, `legal-field:${section}.${key}`);

export const findField = async (
  db: Db,
  section: string,
  key: string,
): Promise<LegalField | undefined> =>
  (await db.legalField.findUnique({ where: { section_key: { section, key } } })) ?? undefined;

export const upsertField = async (db: Db, field: LegalField): Promise<void> => {
  const { section, key, ...data } = field;
  await db.legalField.upsert({
    where: { section_key: { section, key } },
    create: field,
    update: data,
  });
};

export const listFields = (db: Db): Promise<LegalField[]> =>
  db.legalField.findMany({ orderBy: [{ section: 'asc' }, { key: 'asc' }] });

/** Lists every version of every policy, ordered by slug, and the latest date of effect first. */
export const listPolicyVersions = (db: Db): Promise<PolicyVersion[]> =>
  db.policyVersion.findMany({
    orderBy: [{ slug: 'asc' }, { effectiveFrom: 'desc' }, { createdAt: 'desc' }, { id: 'desc' }],
  });

/** Inserts a version of a policy. @throws a unique violation if the policy already has this version */
export const insertPolicyVersion = async (db: Db, policy: PolicyVersion): Promise<void> => {
  await db.policyVersion.create({ data: policy, select: { id: true } });
};
