import type { Outcome } from '../../platform/outcome/outcome.ts';
import { checkAnswer } from '../check-answer.ts';

interface OfOrder {
  readonly gatewayOrderId: string;
}

/** Accepts an order only where it is the one that was asked about. */
export const checkOrder = <T extends OfOrder>(outcome: Outcome<T>, asked: string): Outcome<T> =>
  checkAnswer(outcome, ({ gatewayOrderId }) => gatewayOrderId === asked);

/** Accepts a list of payments only where all are of the order that was asked about. */
export const checkPayments = <T extends OfOrder>(
  outcome: Outcome<readonly T[]>,
  asked: string,
): Outcome<readonly T[]> =>
  checkAnswer(outcome, (payments) => payments.every((payment) => payment.gatewayOrderId === asked));
