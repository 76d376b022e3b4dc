import { goldTest } from './gold-test.ts';
import { createInstallmentFixtures } from './installments.ts';

/** Makes the `it` of a file of tests on installments: that of `goldTest`, with due installments. */
export const installmentTest = (...options: Parameters<typeof goldTest>) =>
  goldTest(...options).extend('fixtures', { scope: 'file' }, ({ open }) =>
    createInstallmentFixtures(open),
  );
