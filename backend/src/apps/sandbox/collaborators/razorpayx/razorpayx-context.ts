import type { Clock } from '../../../../platform/clock/clock.ts';
import type { RazorpayxBooks } from './razorpayx-books.ts';
import type { RazorpayxDesk } from './razorpayx-desk.ts';

/** What the payout provider's operations work with. */
export interface RazorpayxContext {
  readonly books: RazorpayxBooks;
  readonly desk: RazorpayxDesk;
  readonly clock: Clock;
  /** The customer's (our service's) own account at the provider. */
  readonly accountNumber: string;
}
