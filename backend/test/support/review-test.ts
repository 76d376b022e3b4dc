import { goldTest } from './gold-test.ts';
import { createReviewedBuys } from './reviewed-buys.ts';
import { createSellers } from './sellers.ts';

/** Makes the `it` of a file of tests on reviews: that of `goldTest`, with buys under review and sellers. */
export const reviewTest = () =>
  goldTest()
    .extend('buys', { scope: 'file' }, ({ open }) => createReviewedBuys(open))
    .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open));
