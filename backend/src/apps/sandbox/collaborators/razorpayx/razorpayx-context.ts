import type { Clock } from '../../../../platform/clock/clock.ts';
import type { RazorpayxStore } from './razorpayx-store.ts';
import type { RazorpayxPayoutSimulator } from './razorpayx-payout-simulator.ts';

/** What the payout provider's operations work with. */
export interface RazorpayxContext {
  readonly store: RazorpayxStore;
  readonly simulator: RazorpayxPayoutSimulator;
  readonly clock: Clock;
  /** The customer's (our service's) own account at the provider. */
  readonly accountNumber: string;
}
