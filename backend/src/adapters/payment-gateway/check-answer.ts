import { unknown, type Outcome } from '../../platform/outcome/outcome.ts';

/** The reason where an answer is about another order, payment or customer than the request. */
export const OTHER_SUBJECT = 'ANSWER_ABOUT_ANOTHER';

/**
 * Accepts an answer only where everything that it names is what was asked about: money of another
 * order must never count as money of ours, and proves nothing about ours either.
 */
export const checkAnswer = <T>(
  outcome: Outcome<T>,
  asked: string,
  namesOf: (answer: T) => readonly string[],
): Outcome<T> =>
  outcome.kind === 'done' && namesOf(outcome.value).some((name) => name !== asked)
    ? unknown(OTHER_SUBJECT)
    : outcome;

interface OfOrder {
  readonly gatewayOrderId: string;
}

/** Accepts an order only where it is the one that was asked about. */
export const checkOrder = <T extends OfOrder>(outcome: Outcome<T>, asked: string): Outcome<T> =>
  checkAnswer(outcome, asked, ({ gatewayOrderId }) => [gatewayOrderId]);

/** Accepts a list of payments only where all are of the order that was asked about. */
export const checkPayments = <T extends OfOrder>(
  outcome: Outcome<readonly T[]>,
  asked: string,
): Outcome<readonly T[]> =>
  checkAnswer(outcome, asked, (payments) => payments.map((payment) => payment.gatewayOrderId));
