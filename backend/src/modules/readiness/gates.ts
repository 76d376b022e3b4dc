import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Switches } from '../settings/index.ts';
import { isAllEvidenceVerified } from './readiness.store.ts';
import type { ReadinessCheck } from './readiness.types.ts';

/** The server-side kill switches. */
export interface Gates {
  /** Returns true when no item blocks and the switch is on. */
  isBuyOpen(): Promise<boolean>;
  /** Returns true when the switch is on. */
  isSellOpen(): Promise<boolean>;
  /** @throws AppError PAYMENTS_DISABLED while it is closed */
  requireBuyOpen(): Promise<void>;
  /** @throws AppError SELL_DISABLED while it is closed */
  requireSellOpen(): Promise<void>;
}

interface GatesOptions {
  readonly db: Db;
  readonly switches: Switches;
  /** The blocking checks, each of the database or the configuration alone. */
  readonly blockingChecks: readonly ReadinessCheck[];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Reads the switches on every call: a gate that an operator closes is closed for the next request.
 * Logs why the buy gate closed, which the customers' error does not say, and when it opened again.
 */
export const createGates = (options: GatesOptions): Gates => {
  const { db, switches, blockingChecks, logger } = options;

  const findBuyClosure = async (): Promise<string | undefined> => {
    if (!(await switches.isOn('DIGITAL_GOLD_PAYMENT_ENABLED'))) {
      return 'The switch DIGITAL_GOLD_PAYMENT_ENABLED is off, or its file is unreadable.';
    }
    if (!(await isAllEvidenceVerified(db))) return 'Evidence is missing or not verified.';
    const found = await Promise.all(blockingChecks.map((check) => check()));
    return found.find(({ status }) => status !== 'PASS')?.detail;
  };

  let lastClosure: string | undefined;
  const isBuyOpen = async (): Promise<boolean> => {
    const closure = await findBuyClosure();
    if (closure !== lastClosure) {
      if (closure === undefined) logger.info({}, 'buying is open again');
      else logger.warn({ reason: closure }, 'buying is closed');
      lastClosure = closure;
    }
    return closure === undefined;
  };
  const isSellOpen = (): Promise<boolean> => switches.isOn('DIGITAL_SELL_ENABLED');

  return {
    isBuyOpen,
    isSellOpen,
    async requireBuyOpen() {
      if (!(await isBuyOpen())) throw new AppError('PAYMENTS_DISABLED');
    },
    async requireSellOpen() {
      if (!(await isSellOpen())) throw new AppError('SELL_DISABLED');
    },
  };
};
