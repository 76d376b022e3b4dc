import type { Registry } from 'prom-client';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { findLastTick } from '../price/index.ts';
import type { Gates } from '../readiness/index.ts';
import { createRead, readNewestFindings } from '../reconciliation/index.ts';
import { createFigureGauges } from './figure-gauges.ts';
import { openWorkAt } from './figures.read-model.ts';
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
  /** Real milliseconds between two readings of the whole fleet. */
  readonly everyMs: number;
}

const readFigures = async (options: FiguresOptions): Promise<Figures> => {
  const { db, clock, gates } = options;
  const read = createRead(options.inTransaction);
  const open = await read<Figures['open'][number]>(openWorkAt(clock.now()));
  const tick = await findLastTick(db);
  return {
    open: [...open],
    price: tick === undefined ? null : { asOf: tick.price.asOf, mark: tick.mark },
    gates: { buy: await gates.isBuyOpen(), sell: await gates.isSellOpen() },
    ...(await readNewestFindings(db)),
  };
};

/**
 * Updates the figures of the whole fleet whenever metrics are read. However many replicas there are
 * and however often they are scraped, the figures are read once in `everyMs`, by the first replica
 * that is scraped. The others show the stored figures (contract: operators > Figures).
 */
export const createFigures = (options: FiguresOptions): (() => Promise<void>) => {
  const { db, logger, everyMs } = options;
  const show = createFigureGauges(options);
  let reading: Promise<void> | undefined;
  let last: { readonly stored: StoredFigures; readonly at: number } | undefined;

  /** Shows what is stored. While the store can't be read, it shows the last, which grows old. */
  const showStored = async (): Promise<void> => {
    try {
      last = { stored: await findFigures(db), at: performance.now() };
    } catch (error) {
      logger.warn({ err: error }, 'the figures could not be shown');
    }
    if (last === undefined) return;
    const { stored, at } = last;
    const ageSeconds = stored.ageSeconds + (performance.now() - at) / 1000;
    show({ ...stored, ageSeconds });
  };

  const read = async (): Promise<void> => {
    try {
      if (await claimTurn(db, everyMs)) await updateFigures(db, await readFigures(options));
    } catch (error) {
      logger.warn({ err: error }, 'the figures could not be read');
    }
    await showStored();
  };
  return async () => {
    reading ??= read().finally(() => (reading = undefined));
    await reading;
  };
};
