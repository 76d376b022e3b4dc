import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
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
}

const passes = async (check: ReadinessCheck): Promise<boolean> => (await check()).status === 'PASS';

/** Reads the switches on every call: a gate that an operator closes is closed for the next request. */
export const createGates = ({ db, switches, blockingChecks }: GatesOptions): Gates => {
  const isBuyOpen = async (): Promise<boolean> => {
    if (!(await switches.isOn('DIGITAL_GOLD_PAYMENT_ENABLED'))) return false;
    if (!(await isAllEvidenceVerified(db))) return false;
    const found = await Promise.all(blockingChecks.map(passes));
    return found.every(Boolean);
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
