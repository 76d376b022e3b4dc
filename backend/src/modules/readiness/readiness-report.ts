import type { Db } from '../../platform/db/index.ts';
import { findAllEvidence } from './readiness.store.ts';
import {
  checkedItems,
  evidenceItems,
  type CheckedItem,
  type Evidence,
  type Finding,
  type ReadinessCheck,
  type ReadinessItem,
  type ReadinessItemId,
} from './readiness.types.ts';

/**
 * Declares each item of the report. An item blocks payments only when our own database and
 * configuration decide it: the gate is checked on every buy, and a provider that is away has
 * errors of its own. Evidence can never be replaced by the switch alone.
 */
const itemTable: Readonly<
  Record<ReadinessItemId, { readonly title: string; readonly blocking: boolean }>
> = {
  merchant_tax_registration: { title: "The merchant's tax registration", blocking: true },
  provider_disclosure: { title: "The gold provider's disclosure", blocking: true },
  legal_entity: { title: 'The legal entity', blocking: true },
  legal_policies: { title: 'The policies that customers accept', blocking: true },
  gold_provider: { title: 'The gold provider responds', blocking: false },
  payment_gateway: { title: 'A payment gateway is usable', blocking: false },
  payout_provider: { title: 'The payout provider responds', blocking: false },
  price_feed: { title: 'The price feed is live', blocking: false },
  database_migrations: { title: 'The database has the migrations of this build', blocking: true },
  first_admin: { title: 'There is an active super admin', blocking: true },
  production_secrets: { title: 'No published secret is in use', blocking: true },
};

const evidenceFinding = (evidence: Evidence | undefined): Finding => {
  if (evidence === undefined) return { status: 'FAIL', detail: 'No evidence was provided.' };
  return evidence.verified
    ? { status: 'PASS', detail: 'The evidence is verified.' }
    : { status: 'FAIL', detail: 'The evidence is not verified.' };
};

const runCheck = async (check: ReadinessCheck): Promise<Finding> => {
  try {
    return await check();
  } catch {
    return { status: 'UNKNOWN', detail: 'The check could not be run.' };
  }
};

/** Returns the operators' report: the evidence on file, and the result of every check. */
export const createReadinessReport = (options: {
  readonly db: Db;
  readonly checks: Readonly<Record<CheckedItem, ReadinessCheck>>;
}): (() => Promise<ReadinessItem[]>) => {
  const { db, checks } = options;
  return async () => {
    const evidence = await findAllEvidence(db);
    const proven = evidenceItems.map((id): ReadinessItem => {
      const found = evidence.get(id);
      return {
        id,
        ...itemTable[id],
        ...evidenceFinding(found),
        ...(found !== undefined && { evidence: found }),
      };
    });
    const asked = await Promise.all(
      checkedItems.map(async (id): Promise<ReadinessItem> => ({
        id,
        ...itemTable[id],
        ...(await runCheck(checks[id])),
      })),
    );
    return [...proven, ...asked];
  };
};

export const isBlocked = (item: ReadinessItem): boolean => item.blocking && item.status !== 'PASS';
