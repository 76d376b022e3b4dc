import type {
  AdminClient,
  AdminSchemas,
  CustomerClient,
  CustomerSchemas,
} from '@digital-gold/client';
import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Random } from '../../src/platform/ids/random.ts';
import type { DemoNetwork } from './demo-network.ts';
import type { MadeUpNumbers } from './demo-numbers.ts';
import type { LocalProcesses } from './local-processes.ts';
import type { PriceListener } from './price-listener.ts';
import type { DemoEndpoints } from './read-endpoints.ts';
import type { StepOf, StepState } from './run-steps.ts';
import type { AccountingClient, SandboxClient } from './unpublished-apis.ts';

export type Order = CustomerSchemas['GoldOrder'];

/** A customer who is signed in at the customer API. */
export interface DemoCustomer {
  readonly numbers: MadeUpNumbers;
  readonly fullName: string;
  readonly userId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The client that sends the access token. */
  readonly api: CustomerClient;
}

/** An operator who is signed in at the admin API. */
export interface DemoOperator {
  readonly adminId: string;
  readonly email: string;
  readonly accessToken: string;
  readonly api: AdminClient;
}

export interface PlacedBuy {
  readonly order: Order;
  readonly payment: CustomerSchemas['PaymentOrder'];
  readonly gatewayOrderId: string;
}

/** Values that one step saves for the later ones. */
export interface DemoState {
  customer: DemoCustomer;
  documentKeys: { readonly PAN: string; readonly SELFIE: string };
  operator: DemoOperator;
  /** The settings of operators before the story. */
  gatewaysBefore: AdminSchemas['PaymentGateways'];
  /** Rows that each check of the reconciliation found before the story, by its id. */
  findingsBefore: Readonly<Record<string, number>>;
  kycRecordId: string;
  prices: PriceListener;
  ring: CustomerSchemas['Product'];
  quote: CustomerSchemas['BuyQuote'];
  buyKey: string;
  buy: PlacedBuy;
  secondOrder: Order;
  bankAccount: CustomerSchemas['BankAccount'];
  sale: { readonly order: Order; readonly payout: CustomerSchemas['Payout'] };
  reviewed: {
    readonly customer: DemoCustomer;
    readonly orderId: string;
    readonly gatewayPaymentId: string;
  };
}

/** The context of every step: clients, network, clock, and the values of earlier steps. */
export interface Demo extends StepState<DemoState> {
  readonly endpoints: DemoEndpoints;
  readonly random: Random;
  readonly timers: Timers;
  readonly network: DemoNetwork;
  /** The sandbox's controls. */
  readonly sandbox: SandboxClient;
  /** Creates a client of an API at a separate address, with no credential. */
  readonly visitor: {
    customer(ip: string): CustomerClient;
    /** The client is for `url`, or without it for the stack's own API. */
    admin(ip: string, url?: string): AdminClient;
    accounting(ip: string): AccountingClient;
  };
  /** Undefined if the service's processes are not on this machine. */
  readonly local?: LocalProcesses | undefined;
  /** Runs when the story is over, however it ends. */
  atEnd(close: () => void): void;
}

export type Step = StepOf<Demo>;
