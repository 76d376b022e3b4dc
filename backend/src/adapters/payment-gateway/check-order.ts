import type { Outcome } from '../../platform/outcome/outcome.ts';
import { checkAnswer } from '../check-answer.ts';

interface OfOrder {
  readonly gatewayOrderId: string;
}

/** Accepts an order only where it has the requested id. */
export const checkOrder = <T extends OfOrder>(outcome: Outcome<T>, id: string): Outcome<T> =>
  checkAnswer(outcome, ({ gatewayOrderId }) => gatewayOrderId === id);

/** Accepts a list of payments only where all of them are of the requested order. */
export const checkPayments = <T extends OfOrder>(
  outcome: Outcome<readonly T[]>,
  orderId: string,
): Outcome<readonly T[]> =>
  checkAnswer(outcome, (payments) =>
    payments.every((payment) => payment.gatewayOrderId === orderId),
  );
