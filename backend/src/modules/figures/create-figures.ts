import type { Registry } from 'prom-client';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { findLastTick } from '../price/index.ts';
import type { Gates } from '../readiness/index.ts';
import { createRead, readNewestFindings } from '../reconciliation/index.ts';
import { createFigureGauges } from './figure-gauges.ts';
import { openWorkSql } from './figures.read-model.ts';
import { claimTurn, findFigures, updateFigures, type StoredFigures } from './figures.store.ts';
import type { Figures } from './figures.types.ts';

interface FiguresOptions {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly wall: Clock;
  readonly gates: Pick<Gates, 'isBuyOpen' | 'isSellOpen'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** The real milliseconds between two reads of the figures by any replica. */
  readonly everyMs: number;
}

const readFigures = async (options: FiguresOptions): Promise<Figures> => {
  const { db, clock, gates } = options;
  const read = createRead(options.inTransaction);
  const open = await read<Figures['open'][number]>(openWorkSql(clock.now()));
  const tick = await findLastTick(db);
  return {
    open: [...open],
    price: tick === undefined ? null : { asOf: tick.price.asOf, mark: tick.mark },
    gates: { buy: await gates.isBuyOpen(), sell: await gates.isSellOpen() },
    ...(await readNewestFindings(db)),
  };
};

/**
 * Creates the function that updates the figures whenever metrics are read. The database is queried
 * for them at most once in `everyMs`, by the first replica that is scraped. The other replicas show
 * the stored figures (contract: operators > Figures).
 */
export const createFigures = (options: FiguresOptions): (() => Promise<void>) => {
  const { db, logger, everyMs } = options;
  const show = createFigureGauges(options);
  let reading: Promise<void> | undefined;
  let newest: { readonly stored: StoredFigures; readonly readAtMs: number } | undefined;

  /** Shows the stored figures. If the read fails, it shows the newest that it read, with their age. */
  const showStored = async (): Promise<void> => {
    try {
      newest = { stored: await findFigures(db), readAtMs: performance.now() };
    } catch (error) {
      logger.warn({ err: error }, 'the stored figures could not be read');
    }
    if (newest === undefined) return;
    const { stored, readAtMs } = newest;
    const ageSeconds = stored.ageSeconds + (performance.now() - readAtMs) / 1000;
    show({ ...stored, ageSeconds });
  };

  const read = async (): Promise<void> => {
    try {
      if (await claimTurn(db, everyMs)) await updateFigures(db, await readFigures(options));
    } catch (error) {
      logger.warn({ err: error }, 'the figures could not be updated');
    }
    await showStored();
  };
  return async () => {
    reading ??= read().finally(() => (reading = undefined));
    await reading;
  };
};
