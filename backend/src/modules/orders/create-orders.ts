import type { Clock } from '../../platform/clock/clock.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Notify } from '../notifications/index.ts';
import { createPayableOrders } from './payable-orders.ts';
import {
  createTransitionBuy,
  createTransitionInstallment,
  createTransitionSale,
} from './orders.states.ts';

/**
 * Creates what changes the state of gold orders, for every module above: payments, payouts,
 * buying, selling and reviews.
 */
export const createOrders = (deps: {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly notify: Notify;
}) => {
  const transitionBuy = createTransitionBuy(deps);
  return {
    /** Changes the state of an order that is paid for: a buy or an installment. */
    transitionBuy,
    /** Changes the state of an installment where a buy's table does not allow it. */
    transitionInstallment: createTransitionInstallment(deps),
    /** Changes the state of a sale. */
    transitionSale: createTransitionSale(deps),
    ...createPayableOrders({ ...deps, transition: transitionBuy }),
  };
};

export type Orders = ReturnType<typeof createOrders>;
