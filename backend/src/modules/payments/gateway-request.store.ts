import { sql, type Db } from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';

/** Longer than one call to a gateway may take; begun anew before each. */
const leaseMs = 20_000;

const lease = createLease({ table: 'payment_order' });
const rowOf = (id: string) => sql`id = ${id}::uuid`;
const isUnopened = sql`status = 'CREATED'`;

/**
 * Acquires the right to ask the gateway for the order of a CREATED payment order; false while
 * another request has it, or when the payment order is no longer CREATED.
 */
export const acquireGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.acquire(db, { row: rowOf(id), holderId, leaseMs, where: isUnopened });

/** Begins the lease anew, before a call; false when it was lost. */
export const renewGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: rowOf(id), holderId, leaseMs });

/** Lets the next request in; false when the lease was lost meanwhile. */
export const releaseGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.release(db, { row: rowOf(id), holderId });
