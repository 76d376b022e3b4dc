import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { GATEWAY_NOT_FOUND, type PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { missingMigrations } from '../../platform/db/migrations.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Finding, ReadinessCheck } from './readiness.types.ts';

const pass = (detail: string): Finding => ({ status: 'PASS', detail });
const fail = (detail: string): Finding => ({ status: 'FAIL', detail });

/** Caches a passing finding for `lifeMs` of real time, so that a hot path rarely runs the check. */
export const cachePassing = (
  check: ReadinessCheck,
  lifeMs: number,
  wall: Clock,
): ReadinessCheck => {
  let kept: { readonly finding: Finding; readonly until: Date } | undefined;
  return async () => {
    if (kept !== undefined && wall.now() < kept.until) return kept.finding;
    const finding = await check();
    kept = finding.status === 'PASS' ? { finding, until: addMs(wall.now(), lifeMs) } : undefined;
    return finding;
  };
};

export const checkMigrations =
  (db: Db): ReadinessCheck =>
  async () => {
    const missing = await missingMigrations(db);
    return missing.length === 0
      ? pass('All migrations are applied.')
      : fail(`Missing: ${missing.join(', ')}.`);
  };

export const checkFirstAdmin =
  (hasActiveSuperAdmin: () => Promise<boolean>): ReadinessCheck =>
  async () =>
    (await hasActiveSuperAdmin())
      ? pass('There is an active super admin.')
      : fail('There is no active super admin: create one with the operator command.');

/** Passes at once: production refuses to start with a published secret. */
export const checkSecrets =
  (mode: 'development' | 'test' | 'production'): ReadinessCheck =>
  async () =>
    pass(
      mode === 'production'
        ? 'Published secrets are refused at start.'
        : `Not checked in ${mode} mode.`,
    );

export const checkGoldProvider =
  (provider: GoldProvider): ReadinessCheck =>
  async () => {
    const outcome = await provider.price();
    return outcome.kind === 'done'
      ? pass(`${provider.code} quotes a price.`)
      : fail(`${provider.code} does not quote a price.`);
  };

/**
 * Passes while a payment would find a gateway that responds: the choice is asked, and then each of
 * its gateways for an order that can't exist, which a usable one says.
 */
export const checkPaymentGateways =
  (options: {
    readonly gateways: ReadonlyMap<string, PaymentGateway>;
    /** The gateways that may be used now, in the order of choice. */
    readonly listUsable: () => Promise<readonly string[]>;
    /** Those whose credentials do not fit the installation. */
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
    const codesOf = (answered: boolean): string =>
      answers.flatMap((one) => (one.answered === answered ? [one.code] : [])).join(', ');
    const silent = codesOf(false) === '' ? '' : ` No response from: ${codesOf(false)}.`;
    const responding = codesOf(true);
    return responding === ''
      ? fail(`${silent.trim()}${unfit}`)
      : pass(`Payments go to, in this order: ${responding}.${silent}${unfit}`);
  };

/** Requests a payout that can't exist: a provider that says so is reachable and usable. */
export const checkPayoutProvider =
  (provider: Pick<PayoutProvider, 'code' | 'findPayoutByReference'>): ReadinessCheck =>
  async () => {
    const outcome = await provider.findPayoutByReference('readiness-check');
    return outcome.kind === 'done'
      ? pass(`${provider.code} responds.`)
      : fail(`${provider.code} does not respond.`);
  };

/** Three marks without a tick: the feed has stopped. */
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
