import { goldTest } from './gold-test.ts';
import { createPlanFixtures } from './plan-fixtures.ts';

/** Makes the `it` of a file of tests on plans: that of `goldTest`, with customers' plans. */
export const planTest = () =>
  goldTest().extend('fixtures', { scope: 'file' }, ({ open }) => createPlanFixtures(open));
