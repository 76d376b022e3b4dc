import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import {
  readAlone,
  readOf,
  selectOne,
  sql,
  type Db,
  type Read,
  type Sql,
} from '../../platform/db/index.ts';
import { missingMigrations } from '../../platform/db/migrations.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Switches } from '../settings/index.ts';
import { evidenceItems, fail, pass, type Finding, type ReadinessCheck } from './readiness.types.ts';

/** The conditions under which customers can buy and sell. */
export interface Gates {
  /** Returns true if no item of the readiness report blocks and the switch is on. */
  isBuyOpen(): Promise<boolean>;
  /** Returns true if the switch is on. */
  isSellOpen(): Promise<boolean>;
  /** Returns the read of whether all evidence is valid, whose result `requireBuyOpen` accepts. */
  readBuyEvidence(): Read<boolean>;
  /**
   * Checks the buy gate. It does not read the evidence if the caller has just read it.
   * @throws AppError PAYMENTS_DISABLED while the gate is closed
   */
  requireBuyOpen(isEvidenceValid?: boolean): Promise<void>;
  /** @throws AppError SELL_DISABLED while the gate is closed */
  requireSellOpen(): Promise<void>;
}

interface GatesOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly switches: Switches;
  /** The blocking checks. They use only the database and the configuration. */
  readonly blockingChecks: readonly ReadinessCheck[];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Matches the evidence `e` of the legal entity if `/legal/entity` shows its value. */
const isShown: Sql = sql`EXISTS (
  SELECT FROM legal_field AS f
  WHERE f.section = 'entity' AND f.verified AND lower(trim(f.value)) = lower(trim(e.value)))`;

/** Returns true if customers are shown the value of the legal entity's evidence. */
export const isShownToCustomers = async (db: Db): Promise<boolean> => {
  const row = await selectOne(
    db,
    sql`SELECT 1 AS shown FROM readiness_evidence AS e
      WHERE e.item = 'legal_entity' AND ${isShown}`,
  );
  return row !== undefined;
};

/**
 * Creates the read of whether all evidence is verified and has not expired, and customers are shown
 * the legal entity. It is one SQL statement, since every buy runs it.
 */
const readAllEvidenceValid = (now: Date): Read<boolean> =>
  readOf(
    sql`
      SELECT count(*)::int AS good FROM readiness_evidence AS e
      WHERE e.verified AND e.item = ANY(${[...evidenceItems]})
        AND (e.expires_on IS NULL OR e.expires_on >= ${istDate(now)}::date)
        AND (e.item <> 'legal_entity' OR ${isShown})`,
    (row: { readonly good: number } | undefined) => row?.good === evidenceItems.length,
  );

/**
 * Creates the gates. They read the switches on every call, so that a gate closes for the next request
 * after an operator has closed it. They log the reason why the buy gate closed, which the customers'
 * error does not have, and its opening.
 */
export const createGates = (options: GatesOptions): Gates => {
  const { db, clock, switches, blockingChecks, logger } = options;

  const readBuyEvidence = (): Read<boolean> => readAllEvidenceValid(clock.now());

  const findBuyClosure = async (isEvidenceValid?: boolean): Promise<string | undefined> => {
    if (!(await switches.isOn('DIGITAL_GOLD_PAYMENT_ENABLED'))) {
      return 'The switch DIGITAL_GOLD_PAYMENT_ENABLED is off, or its file is unreadable.';
    }
    if (!(isEvidenceValid ?? (await readAlone(db, readBuyEvidence())))) {
      return 'Evidence is missing, not verified, expired, or not shown to customers.';
    }
    const found = await Promise.all(blockingChecks.map((check) => check()));
    return found.find(({ status }) => status !== 'PASS')?.detail;
  };

  let lastClosure: string | undefined;
  const isBuyOpen = async (isEvidenceValid?: boolean): Promise<boolean> => {
    const closure = await findBuyClosure(isEvidenceValid);
    if (closure !== lastClosure) {
      if (closure === undefined) logger.info({}, 'buying is open again');
      else logger.warn({ reason: closure }, 'buying is closed');
      lastClosure = closure;
    }
    return closure === undefined;
  };
  const isSellOpen = (): Promise<boolean> => switches.isOn('DIGITAL_SELL_ENABLED');

  return {
    isBuyOpen: () => isBuyOpen(),
    isSellOpen,
    readBuyEvidence,
    async requireBuyOpen(isEvidenceValid) {
      if (!(await isBuyOpen(isEvidenceValid))) throw new AppError('PAYMENTS_DISABLED');
    },
    async requireSellOpen() {
      if (!(await isSellOpen())) throw new AppError('SELL_DISABLED');
    },
  };
};

/* The checks that block buying. They use only the database and the configuration. */

/** Caches a passing finding for `lifeMs` of real time, so that a hot path rarely runs the check. */
export const cachePassing = (
  check: ReadinessCheck,
  lifeMs: number,
  wall: Clock,
): ReadinessCheck => {
  let cached: { readonly finding: Finding; readonly until: Date } | undefined;
  return async () => {
    if (cached !== undefined && wall.now() < cached.until) return cached.finding;
    const finding = await check();
    cached = finding.status === 'PASS' ? { finding, until: addMs(wall.now(), lifeMs) } : undefined;
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

/** Creates a check that always passes, because production does not start with a published secret. */
export const checkSecrets =
  (mode: 'development' | 'test' | 'production'): ReadinessCheck =>
  async () =>
    pass(
      mode === 'production'
        ? 'Published secrets are refused at start.'
        : `Not checked in ${mode} mode.`,
    );
