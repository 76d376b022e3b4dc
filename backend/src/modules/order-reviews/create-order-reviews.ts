import type { Route } from '../../platform/http/index.ts';
import { createOrderReviewRoutes } from './order-reviews.admin.routes.ts';
import { createResolveAllocate, type ResolveAllocateDeps } from './resolve-allocate.ts';
import type { AdminOrderDeps } from './read-admin-order.ts';
import type { ResolveOrderDeps } from './resolve-order.ts';
import { createResolveKeep } from './resolve-keep.ts';
import { createResolveRecover } from './resolve-recover.ts';
import { createResolveRefunded } from './resolve-refunded.ts';
import { createResolveSale, type ResolveSaleDeps } from './resolve-sale.ts';

type OrderReviewsOptions = AdminOrderDeps &
  Omit<ResolveOrderDeps, 'resolutions'> &
  ResolveAllocateDeps &
  ResolveSaleDeps;

/** Creates the operators' view of an order and their ways out of its manual review. */
export const createOrderReviews = (
  options: OrderReviewsOptions,
): { readonly adminRoutes: Route[] } => {
  const sale = createResolveSale(options);
  const resolutions = {
    ALLOCATE: createResolveAllocate(options),
    REFUNDED: createResolveRefunded(options),
    KEEP: createResolveKeep(options),
    RECOVER: createResolveRecover(options),
    CONFIRM_SELL: sale.confirm,
    RELEASE_SELL: sale.release,
  };
  return { adminRoutes: createOrderReviewRoutes({ ...options, resolutions }) };
};
