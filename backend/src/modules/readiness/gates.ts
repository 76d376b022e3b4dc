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

/** The server-side kill switches. */
export interface Gates {
  /** Returns true when no item blocks and the switch is on. */
  isBuyOpen(): Promise<boolean>;
  /** Returns true when the switch is on. */
  isSellOpen(): Promise<boolean>;
  /** Reads whether every item of evidence is good, for `requireBuyOpen`. */
  readBuyEvidence(): Read<boolean>;
  /**
   * Accepts the evidence if the caller has just read it.
   * @throws AppError PAYMENTS_DISABLED while it is closed
   */
  requireBuyOpen(isEvidenceGood?: boolean): Promise<void>;
  /** @throws AppError SELL_DISABLED while it is closed */
  requireSellOpen(): Promise<void>;
}

interface GatesOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly switches: Switches;
  /** The blocking checks, each of the database or the configuration alone. */
  readonly blockingChecks: readonly ReadinessCheck[];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Matches the legal entity's evidence `e` where `/legal/entity` shows its value. */
const isShown: Sql = sql`EXISTS (
  SELECT FROM legal_field AS f
  WHERE f.section = 'entity' AND f.verified AND lower(trim(f.value)) = lower(trim(e.value)))`;

/** Returns true where customers see what the evidence of the legal entity says. */
export const isShownToCustomers = async (db: Db): Promise<boolean> => {
  const row = await selectOne(
    db,
    sql`SELECT 1 AS shown FROM readiness_evidence AS e
      WHERE e.item = 'legal_entity' AND ${isShown}`,
  );
  return row !== undefined;
};

/**
 * Reads whether every item of evidence is verified, has not expired, and is shown to customers
 * where it has to be. Raw SQL, since every buy reads it.
 */
const readAllEvidenceGood = (now: Date): Read<boolean> =>
  readOf(
    sql`
      SELECT count(*)::int AS good FROM readiness_evidence AS e
      WHERE e.verified AND e.item = ANY(${[...evidenceItems]})
        AND (e.expires_on IS NULL OR e.expires_on >= ${istDate(now)}::date)
        AND (e.item <> 'legal_entity' OR ${isShown})`,
    (row: { readonly good: number } | undefined) => row?.good === evidenceItems.length,
  );

/**
 * Reads the switches on every call: a gate that an operator closes is closed for the next request.
 * Logs why the buy gate closed, which the customers' error does not say, and when it opened again.
 */
export const createGates = (options: GatesOptions): Gates => {
  const { db, clock, switches, blockingChecks, logger } = options;

  const readBuyEvidence = (): Read<boolean> => readAllEvidenceGood(clock.now());

  const findBuyClosure = async (isEvidenceGood?: boolean): Promise<string | undefined> => {
    if (!(await switches.isOn('DIGITAL_GOLD_PAYMENT_ENABLED'))) {
      return 'The switch DIGITAL_GOLD_PAYMENT_ENABLED is off, or its file is unreadable.';
    }
    if (!(isEvidenceGood ?? (await readAlone(db, readBuyEvidence())))) {
      return 'Evidence is missing, not verified, expired, or not shown to customers.';
    }
    const found = await Promise.all(blockingChecks.map((check) => check()));
    return found.find(({ status }) => status !== 'PASS')?.detail;
  };

  let lastClosure: string | undefined;
  const isBuyOpen = async (isEvidenceGood?: boolean): Promise<boolean> => {
    const closure = await findBuyClosure(isEvidenceGood);
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
    async requireBuyOpen(isEvidenceGood) {
      if (!(await isBuyOpen(isEvidenceGood))) throw new AppError('PAYMENTS_DISABLED');
    },
    async requireSellOpen() {
      if (!(await isSellOpen())) throw new AppError('SELL_DISABLED');
    },
  };
};

/* The checks that block buying, each of the database or the configuration alone. */

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
