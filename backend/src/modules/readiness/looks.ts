import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { GATEWAY_NOT_FOUND, type PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { missingMigrations } from '../../platform/db/migrations.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Finding, Look } from './readiness.types.ts';

const pass = (detail: string): Finding => ({ status: 'PASS', detail });
const fail = (detail: string): Finding => ({ status: 'FAIL', detail });

/** Keeps a passing finding for `lifeMs` of real time, so that a hot path asks once in a while. */
export const rememberPass = (look: Look, lifeMs: number, wall: Clock): Look => {
  let kept: { readonly finding: Finding; readonly until: Date } | undefined;
  return async () => {
    if (kept !== undefined && wall.now() < kept.until) return kept.finding;
    const finding = await look();
    kept = finding.status === 'PASS' ? { finding, until: addMs(wall.now(), lifeMs) } : undefined;
    return finding;
  };
};

export const lookAtMigrations =
  (db: Db): Look =>
  async () => {
    const missing = await missingMigrations(db);
    return missing.length === 0
      ? pass('All migrations are applied.')
      : fail(`Missing: ${missing.join(', ')}.`);
  };

export const lookAtFirstAdmin =
  (hasActiveSuperAdmin: () => Promise<boolean>): Look =>
  async () =>
    (await hasActiveSuperAdmin())
      ? pass('There is an active super admin.')
      : fail('Create one with the operator command.');

/** Production refuses to start with a published secret, so running in it is the proof. */
export const lookAtSecrets =
  (mode: 'development' | 'test' | 'production'): Look =>
  async () =>
    pass(
      mode === 'production'
        ? 'Published secrets are refused at start.'
        : `Not checked in ${mode} mode.`,
    );

export const lookAtGoldProvider =
  (provider: GoldProvider): Look =>
  async () => {
    const outcome = await provider.price();
    return outcome.kind === 'done'
      ? pass(`${provider.code} quotes a price.`)
      : fail(`${provider.code} does not quote a price.`);
  };

/** Asks for an order that can't exist: "there is none" is an answer. */
export const lookAtPaymentGateways =
  (gateways: readonly PaymentGateway[]): Look =>
  async () => {
    if (gateways.length === 0) return fail('No payment gateway is configured.');
    const answers = await Promise.all(
      gateways.map(async (gateway) => {
        const outcome = await gateway.getOrder('readiness-check');
        const answered =
          outcome.kind === 'done' ||
          (outcome.kind === 'refused' && outcome.code === GATEWAY_NOT_FOUND);
        return { code: gateway.code, answered };
      }),
    );
    const silent = answers.filter(({ answered }) => !answered).map(({ code }) => code);
    const all = answers.map(({ code }) => code).join(', ');
    return silent.length === 0
      ? pass(`They answer: ${all}.`)
      : fail(`No answer from: ${silent.join(', ')}.`);
  };

/** Asks for a payout that can't exist: "there is none" is an answer. */
export const lookAtPayoutProvider =
  (provider: Pick<PayoutProvider, 'code' | 'findPayoutByReference'>): Look =>
  async () => {
    const outcome = await provider.findPayoutByReference('readiness-check');
    return outcome.kind === 'done'
      ? pass(`${provider.code} answers.`)
      : fail(`${provider.code} does not answer.`);
  };

/** Three marks without a tick are one too many. */
const feedSilenceMs = 30_000;

export const lookAtPriceFeed =
  (lastMark: () => Promise<Date | undefined>, wall: Clock): Look =>
  async () => {
    const mark = await lastMark();
    if (mark === undefined) return fail('The feed has never ticked.');
    return addMs(mark, feedSilenceMs) > wall.now()
      ? pass(`The last tick was at ${mark.toISOString()}.`)
      : fail(`No tick since ${mark.toISOString()}.`);
  };
