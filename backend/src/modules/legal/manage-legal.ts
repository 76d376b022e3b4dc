import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock/clock.ts';
import { startOfIstDate } from '../../platform/clock/ist.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  presentField,
  presentPolicyVersion,
  type FieldBody,
  type PolicyBody,
} from './legal.admin.schemas.ts';
import { listPoliciesInForce } from './legal.read-model.ts';
import {
  findField,
  insertPolicyVersion,
  listFields,
  listPolicyVersions,
  lockField,
  upsertField,
  type LegalField,
  type PolicyVersion,
} from './legal.store.ts';

export interface ManageLegalDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Auditor;
}

/** Returns a title for a slug, such as `Privacy policy` for `privacy-policy`. */
const titleOf = (slug: string): string => {
  const words = slug.replaceAll('-', ' ').trim();
  return words === '' ? slug : words.charAt(0).toUpperCase() + words.slice(1);
};

/** Returns the audited fields of a policy. A hash replaces the body, because the row is immutable. */
const auditedPolicyFields = ({ slug, version, title, url, body }: PolicyVersion, date: string) => ({
  slug,
  version,
  title,
  effectiveFrom: date,
  url,
  bodySha256: body === null ? null : createHash('sha256').update(body).digest('hex'),
});

const auditedFields = ({ value, verified, reference }: LegalField) => ({
  value,
  verified,
  reference,
});

const presentPolicy = (policy: PolicyVersion, inForce: ReadonlySet<string>) =>
  presentPolicyVersion(policy, inForce.has(`${policy.slug} ${policy.version}`));

const readVersionsInForce = async ({
  db,
  clock,
}: ManageLegalDeps): Promise<ReadonlySet<string>> => {
  const inForce = await listPoliciesInForce(db, clock.now());
  return new Set(inForce.map(({ slug, version }) => `${slug} ${version}`));
};

/** Returns every field and every version of every policy. */
export const readLegal = async (deps: ManageLegalDeps) => {
  const { db } = deps;
  const [fields, policies, inForce] = await Promise.all([
    listFields(db),
    listPolicyVersions(db),
    readVersionsInForce(deps),
  ]);
  return {
    fields: fields.map(presentField),
    policies: policies.map((policy) => presentPolicy(policy, inForce)),
  };
};

/**
 * Adds or replaces a field. The audit row is written in the same transaction (contract: operators > Legal
 * content of operators).
 */
export const putField = async (
  { inTransaction, clock, audit }: ManageLegalDeps,
  name: string,
  body: FieldBody,
  { principal, context }: ByOperator,
) => {
  const [section = '', key = ''] = name.split('.');
  const field: LegalField = {
    section,
    key,
    value: body.value,
    verified: body.verified,
    reference: body.reference ?? null,
    updatedAt: clock.now(),
  };
  await inTransaction(async (tx) => {
    await lockField(tx, section, key);
    const before = await findField(tx, section, key);
    await upsertField(tx, field);
    await audit.record(tx, {
      action: 'legal.fields.put',
      ...adminActor(principal, context),
      target: { type: 'legal_field', id: name },
      ...(before !== undefined && { before: auditedFields(before) }),
      after: auditedFields(field),
    });
  });
  return presentField(field);
};

/**
 * Adds a version of a policy and its audit row in one transaction. The version takes effect at the
 * start of `effectiveFrom` in IST (contract: operators > Legal content of operators).
 * @throws AppError CONFLICT if the policy already has this version
 */
export const publishPolicy = async (
  deps: ManageLegalDeps,
  body: PolicyBody,
  { principal, context }: ByOperator,
) => {
  const { inTransaction, clock, random, audit } = deps;
  const { slug, version, effectiveFrom: date } = body;
  const policy: PolicyVersion = {
    id: random.uuid(),
    slug,
    version,
    title: body.title ?? titleOf(slug),
    body: body.body ?? null,
    url: body.url ?? null,
    verified: true,
    effectiveFrom: startOfIstDate(date),
    createdAt: clock.now(),
  };
  try {
    await inTransaction(async (tx) => {
      await insertPolicyVersion(tx, policy);
      await audit.record(tx, {
        action: 'legal.policies.publish',
        ...adminActor(principal, context),
        target: { type: 'policy_version', id: policy.id },
        after: auditedPolicyFields(policy, date),
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'This policy already has this version. Publish the text as a new version.';
    throw new AppError('CONFLICT', { message, cause: error });
  }
  return presentPolicy(policy, await readVersionsInForce(deps));
};
