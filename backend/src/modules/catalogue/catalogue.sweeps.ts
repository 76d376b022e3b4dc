import type { ObjectStore } from '../../adapters/object-store/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { sweepBatches, sweepRows, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import { listStalePrices, lockStalePrices, updatePrices } from './catalogue.store.ts';
import { imageFormats } from './encode-image.ts';
import { computeDynamic } from './price-product.ts';
import {
  claimRemovable,
  deleteImage,
  type RemovableImage,
  type StoredImage,
} from './product-images.store.ts';
import { objectKeyOf } from './upload-image.ts';

const hourMs = 60 * 60_000;
const batchSize = 500;

/** Creates the sweep that computes stored prices of DYNAMIC products that are older than an hour. */
export const createRepricing = ({
  db,
  inTransaction,
  clock,
  logger,
  live,
  everyMs,
}: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
  readonly live: Pick<LivePriceReader, 'livePrice'>;
  readonly everyMs: number;
}): Sweep => ({
  name: 'catalogue-reprice-products',
  everyMs,
  async run(signal) {
    const before = addMs(clock.now(), -hourMs);
    const { buyPaise } = await live.livePrice();
    const reprice = (ids: readonly string[]): Promise<void> =>
      inTransaction(async (tx) => {
        const products = await lockStalePrices(tx, before, ids);
        const prices = products.map(({ id, ...product }) => ({
          id,
          ...computeDynamic(product, buyPaise),
        }));
        await updatePrices(tx, prices, clock.now());
      });
    await sweepBatches({
      rows: (after?: string) => listStalePrices(db, before, { after, limit: batchSize }),
      signal,
      handle: reprice,
      onError: (error, productId) =>
        logger.error({ productId, err: describeError(error) }, 'a product could not be repriced'),
    });
  },
});

/** Keeps a replaced image for this time, since a request may have just looked it up. */
const replacedMs = 10 * 60_000;
/** Takes an upload for abandoned after this time. */
const pendingMs = hourMs;

/** Creates the sweep that removes the objects and rows of replaced and unfinished images. */
export const createImageRemoval = ({
  db,
  objects,
  clock,
  logger,
  everyMs,
}: {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'delete'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly everyMs: number;
}): Sweep => {
  const remove = async (image: StoredImage): Promise<boolean> => {
    for (const width of image.widths) {
      for (const format of imageFormats) {
        const outcome = await objects.delete(objectKeyOf(image, width, format));
        if (outcome.kind === 'done') continue;
        logger.warn({ imageId: image.id, outcome: outcome.kind }, 'an image was not removed');
        return false;
      }
    }
    await deleteImage(db, image.id);
    return true;
  };

  return {
    name: 'catalogue-remove-images',
    everyMs,
    async run(signal) {
      const now = clock.now();
      const limits = {
        replacedBefore: addMs(now, -replacedMs),
        pendingBefore: addMs(now, -pendingMs),
      };
      await sweepRows({
        rows: (after?: RemovableImage) => claimRemovable(db, limits, { after, limit: batchSize }),
        signal,
        onError: (error, { id }) =>
          logger.warn({ imageId: id, err: describeError(error) }, 'an image was not removed'),
        handle: remove,
      });
    },
  };
};
