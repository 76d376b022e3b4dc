import type { Outcome } from '../../platform/outcome/outcome.ts';
import { checkAnswer } from '../check-answer.ts';

interface OfOrder {
  readonly gatewayOrderId: string;
}

/** Accepts an order only if it has the requested id. */
export const checkOrder = <T extends OfOrder>(outcome: Outcome<T>, id: string): Outcome<T> =>
  checkAnswer(outcome, ({ gatewayOrderId }) => gatewayOrderId === id);
