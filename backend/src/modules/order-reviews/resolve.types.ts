import type { Db } from '../../platform/db/index.ts';
import type { GoldOrder } from '../orders/index.ts';
import type { SaleInitiator } from '../selling/index.ts';
import type { ResolutionName } from './resolve.schemas.ts';

/** What an operator asks for. */
export interface Resolution {
  readonly orderId: string;
  readonly resolution: ResolutionName;
  readonly reference: string | undefined;
  readonly note: string | undefined;
  /** The operator, for the order's history. */
  readonly by: SaleInitiator;
  /** Writes the audit row, in the transaction that settles the order. */
  readonly audit: (db: Db, before: GoldOrder) => Promise<void>;
}

/** One way to end a review; throws an AppError where it does not fit, and nothing has changed. */
export type Resolve = (order: GoldOrder, asked: Resolution) => Promise<void>;
