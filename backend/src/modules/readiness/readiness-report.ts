import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { GATEWAY_NOT_FOUND, type PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { isShownToCustomers } from './gates.ts';
import { findAllEvidence } from './readiness.store.ts';
import {
  checkedItems,
  evidenceItems,
  fail,
  pass,
  type CheckedItem,
  type Evidence,
  type Finding,
  type ReadinessCheck,
  type ReadinessItem,
  type ReadinessItemId,
} from './readiness.types.ts';

/**
 * The items of the report. An item blocks payments only if the database and the configuration decide
 * it, because every buy checks the blocking items. A collaborator that does not respond does not
 * block, since its calls fail by themselves. The switch alone never replaces evidence.
 */
const itemTable: Readonly<
  Record<ReadinessItemId, { readonly title: string; readonly blocking: boolean }>
> = {
  merchant_tax_registration: { title: "The merchant's tax registration", blocking: true },
  provider_disclosure: { title: "The gold provider's disclosure", blocking: true },
  legal_entity: { title: 'The legal entity', blocking: true },
  legal_policies: { title: 'The policies that customers accept', blocking: true },
  custodian_certificate: { title: "The custodian's certificate", blocking: false },
  gold_provider: { title: 'The gold provider responds', blocking: false },
  payment_gateway: { title: 'A payment gateway is usable', blocking: false },
  payout_provider: { title: 'The payout provider responds', blocking: false },
  price_feed: { title: 'The price feed is live', blocking: false },
  database_migrations: { title: 'The database has the migrations of this build', blocking: true },
  first_admin: { title: 'There is an active super admin', blocking: true },
  production_secrets: { title: 'No published secret is in use', blocking: true },
};

/** The time in ms before the end of evidence in which the report has a warning. */
const warningMs = 30 * 24 * 60 * 60_000;

/** Checks evidence by the rules of the buy gate, and returns the rule that failed. */
const checkEvidence = (
  evidence: Evidence | undefined,
  { now, isShown }: { readonly now: Date; readonly isShown: boolean },
): Finding => {
  if (evidence === undefined) return fail('No evidence was provided.');
  const { verified, expiresOn } = evidence;
  if (!verified) return fail('The evidence is not verified.');
  if (expiresOn !== null && expiresOn < istDate(now)) {
    return fail(`The evidence has expired: it was good until ${expiresOn}.`);
  }
  if (!isShown) {
    return fail(
      'The public page /legal/entity does not show it: publish a verified field of the same value.',
    );
  }
  const isEnding = expiresOn !== null && expiresOn < istDate(addMs(now, warningMs));
  return {
    ...pass('The evidence is verified.'),
    ...(isEnding && {
      warning: `It expires after ${expiresOn}. Buying closes then, unless newer evidence is on file.`,
    }),
  };
};

const runCheck = async (check: ReadinessCheck): Promise<Finding> => {
  try {
    return await check();
  } catch {
    return { status: 'UNKNOWN', detail: 'The check could not be run.' };
  }
};

/**
 * Returns the item of the custodian's certificate. The certificate is optional, so there is no item
 * without one. Statements of proof of gold name it.
 */
const listCertificate = (evidence: Evidence | undefined, now: Date): ReadinessItem[] => {
  if (evidence === undefined) return [];
  const id = 'custodian_certificate';
  const { status, detail } = checkEvidence(evidence, { now, isShown: true });
  return [{ id, ...itemTable[id], status, detail, evidence }];
};

/** Creates the operators' report, which has the recorded evidence and the result of every check. */
export const createReadinessReport = (options: {
  readonly db: Db;
  readonly clock: Clock;
  readonly checks: Readonly<Record<CheckedItem, ReadinessCheck>>;
}): (() => Promise<ReadinessItem[]>) => {
  const { db, clock, checks } = options;
  return async () => {
    const evidence = await findAllEvidence(db);
    const isEntityShown = await isShownToCustomers(db);
    const now = clock.now();
    const blockingEvidence = evidenceItems.map((id): ReadinessItem => {
      const found = evidence.get(id);
      const isShown = id !== 'legal_entity' || isEntityShown;
      return {
        id,
        ...itemTable[id],
        ...checkEvidence(found, { now, isShown }),
        ...(found !== undefined && { evidence: found }),
      };
    });
    const checked = await Promise.all(
      checkedItems.map(async (id): Promise<ReadinessItem> => ({
        id,
        ...itemTable[id],
        ...(await runCheck(checks[id])),
      })),
    );
    const certificate = evidence.get('custodian_certificate');
    return [...blockingEvidence, ...listCertificate(certificate, now), ...checked];
  };
};

export const isBlocked = (item: ReadinessItem): boolean => item.blocking && item.status !== 'PASS';

/* The checks of collaborators. Only the report runs them, and not the gates. */

export const checkGoldProvider =
  (provider: GoldProvider): ReadinessCheck =>
  async () => {
    const outcome = await provider.price();
    return outcome.kind === 'done'
      ? pass(`${provider.code} quotes a price.`)
      : fail(`${provider.code} does not quote a price.`);
  };

/**
 * Creates a check that passes if at least one gateway that may be chosen responds. It queries each
 * gateway for an order that can't exist, so a usable gateway answers "not found".
 */
export const checkPaymentGateways =
  (options: {
    readonly gateways: ReadonlyMap<string, PaymentGateway>;
    /** The gateways that may be used now, in the order of choice. */
    readonly listUsable: () => Promise<readonly string[]>;
    /** The gateways that are never chosen, because their credentials are for another installation. */
    readonly barred?: ReadonlySet<string>;
  }): ReadinessCheck =>
  async () => {
    const { barred = new Set<string>() } = options;
    const unfit =
      barred.size === 0
        ? ''
        : ` Never chosen, as its credentials do not fit this installation: ${[...barred].join(', ')}.`;
    if (options.gateways.size === 0) return fail(`No payment gateway is configured.${unfit}`);
    const usable = (await options.listUsable()).flatMap((code) => options.gateways.get(code) ?? []);
    if (usable.length === 0) {
      return fail(`No payment gateway can be chosen: enable one, or set its mode.${unfit}`);
    }
    const answers = await Promise.all(
      usable.map(async (gateway) => {
        const outcome = await gateway.getOrder('readiness-check');
        const answered =
          outcome.kind === 'done' ||
          (outcome.kind === 'refused' && outcome.code === GATEWAY_NOT_FOUND);
        return { code: gateway.code, answered };
      }),
    );
    const codesOf = (hasAnswered: boolean): string =>
      answers.flatMap(({ code, answered }) => (answered === hasAnswered ? [code] : [])).join(', ');
    const silent = codesOf(false) === '' ? '' : ` No response from: ${codesOf(false)}.`;
    const responding = codesOf(true);
    return responding === ''
      ? fail(`${silent.trim()}${unfit}`)
      : pass(`Payments go to, in this order: ${responding}.${silent}${unfit}`);
  };

/** Creates a check that queries a payout that can't exist, which a usable provider reports as done. */
export const checkPayoutProvider =
  (provider: Pick<PayoutProvider, 'code' | 'findPayoutByReference'>): ReadinessCheck =>
  async () => {
    const outcome = await provider.findPayoutByReference('readiness-check');
    return outcome.kind === 'done'
      ? pass(`${provider.code} responds.`)
      : fail(`${provider.code} does not respond.`);
  };

/** The time in ms without a tick after which the feed counts as stopped. It is three marks. */
const feedSilenceMs = 30_000;

export const checkPriceFeed =
  (lastMark: () => Promise<Date | undefined>, wall: Clock): ReadinessCheck =>
  async () => {
    const mark = await lastMark();
    if (mark === undefined) return fail('The feed has not sent a price yet.');
    return addMs(mark, feedSilenceMs) > wall.now()
      ? pass(`The last price was sent at ${mark.toISOString()}.`)
      : fail(`No price was sent since ${mark.toISOString()}.`);
  };
