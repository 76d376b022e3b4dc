import type { Timers } from '../../platform/clock/timers.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { codeLifeSeconds } from './one-time-code.rules.ts';
import { deliverCode, makeCode, type UnsentCode, type OneTimeCodesDeps } from './one-time-codes.ts';
import { hasActiveUser } from './users.store.ts';

export interface ForgotMpinDeps extends OneTimeCodesDeps {
  readonly timers: Timers;
}

export interface ForgotMpin {
  /**
   * Sends a code for `resetMpin` to a customer's phone. The answer, and its time, are the same for
   * an unregistered phone number and for an SMS that fails (contract: identity-and-kyc > MPIN).
   * @throws AppError OTP_SEND_LIMIT, which counts unregistered phone numbers too.
   */
  send(phone: string, context: Pick<RequestContext, 'ip'>): Promise<{ expiresInSec: number }>;
  /** Waits until no SMS is being sent. */
  settle(): Promise<void>;
}

/** The time of every answer, in real milliseconds. */
const answerMs = 1000;

/**
 * Creates the sender of these codes. A response after the SMS would reveal by its time whether an
 * SMS was sent. Every response is therefore sent after the same time. A send that is not done by
 * then continues in this process.
 */
export const createForgotMpin = (deps: ForgotMpinDeps): ForgotMpin => {
  const { db, timers, logger, codeMetrics } = deps;
  const deliveries = new Set<Promise<void>>();

  const deliver = async (unsent: UnsentCode): Promise<void> => {
    try {
      await deliverCode(deps, unsent);
    } catch (error) {
      if (isAppError(error, 'SMS_UNAVAILABLE')) return;
      logger.error({ err: error }, 'an unsent code could not be withdrawn');
    }
  };

  return {
    async send(phone, { ip }) {
      const answerTime = timers.sleep(answerMs);
      const unsent = await makeCode(deps, { phone, purpose: 'mpin-reset', ip });
      if (await hasActiveUser(db, phone)) {
        const delivery = deliver(unsent);
        deliveries.add(delivery);
        void delivery.finally(() => deliveries.delete(delivery));
      } else {
        codeMetrics.countSend('no_account');
      }
      await answerTime;
      return { expiresInSec: codeLifeSeconds };
    },
    async settle() {
      await Promise.all(deliveries);
    },
  };
};
