import { goldTest } from './gold-test.ts';
import { createReviewedBuys } from './reviewed-buys.ts';
import { createSellers } from './sellers.ts';

/**
 * Creates the `it` of a test file on reviews. It extends the `it` of `goldTest` with `buys`, which
 * creates purchases under review, and with `sellers`.
 */
export const reviewTest = () =>
  goldTest()
    .extend('buys', { scope: 'file' }, ({ open }) => createReviewedBuys(open))
    .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open));
