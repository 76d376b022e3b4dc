import type { Db } from '../../platform/db/index.ts';
import type { Switches } from '../settings/index.ts';
import { createReadinessStore } from './readiness.store.ts';
import type { Look } from './readiness.types.ts';

/** The server-side kill switches (interface, Capability gates). */
export interface Gates {
  /** Gate 2: no blocking item AND the switch. */
  isBuyOpen(): Promise<boolean>;
  /** Gate 1. */
  isSellOpen(): Promise<boolean>;
}

export interface GatesOptions {
  readonly db: Db;
  readonly switches: Switches;
  /** The blocking items that are asked, each from the database or the configuration alone. */
  readonly blockingLooks: readonly Look[];
}

const passes = async (look: Look): Promise<boolean> => (await look()).status === 'PASS';

/** Read at every check: a gate that an operator closes is closed for the next request. */
export const createGates = ({ db, switches, blockingLooks }: GatesOptions): Gates => {
  return {
    async isBuyOpen() {
      if (!(await switches.isOn('DIGITAL_GOLD_PAYMENT_ENABLED'))) return false;
      if (!(await createReadinessStore(db).isAllVerified())) return false;
      const found = await Promise.all(blockingLooks.map(passes));
      return found.every(Boolean);
    },
    isSellOpen: () => switches.isOn('DIGITAL_SELL_ENABLED'),
  };
};
