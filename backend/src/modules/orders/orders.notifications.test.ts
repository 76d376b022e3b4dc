import { expect, it } from 'vitest';
import { manualReviewCodes } from './orders.types.ts';
import { reviewBody } from './orders.notifications.ts';

it('the notification of a review says that the money is safe, unless the money is in doubt', () => {
  const inDoubt = manualReviewCodes.filter((code) => !reviewBody(code).includes('money is safe'));
  expect(inDoubt).toEqual(['FAILED_AFTER_PAID', 'PAYMENT_REVERSED']);
});
