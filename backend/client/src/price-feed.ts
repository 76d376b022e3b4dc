import type { components } from './generated/customer.ts';

/** A price of the live feed: in paise a gram, each number of `seq` once. */
export interface PriceTick {
  readonly buyPaise: number;
  readonly sellPaise: number;
  readonly spotPaise: number;
  readonly currency: components['schemas']['Price']['currency'];
  readonly unit: components['schemas']['Price']['unit'];
  readonly source: components['schemas']['Price']['source'];
  readonly asOf: string;
  /** Higher with each tick of the feed, on whichever replica it is received. */
  readonly seq: number;
  /** True while the provider gives no new price: it is shown and not bought at. */
  readonly stale?: boolean;
}

/** The events of the namespace `/price`. Its sockets send nothing. */
export interface PriceEvents {
  /** Once, as a socket connects: the newest tick. */
  price_snapshot: (tick: PriceTick) => void;
  /** Every ten seconds. */
  price_update: (tick: PriceTick) => void;
}

/** The part of a socket of socket.io that is needed here. */
export interface PriceSocket {
  on<Event extends keyof PriceEvents>(event: Event, listener: PriceEvents[Event]): unknown;
  close(): unknown;
}

const isPaise = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isTick = (message: unknown): message is PriceTick => {
  const { buyPaise, sellPaise, spotPaise, seq, asOf } = Object(message) as Partial<PriceTick>;
  const areWhole = [buyPaise, sellPaise, spotPaise].every(isPaise) && Number.isSafeInteger(seq);
  return areWhole && typeof asOf === 'string';
};

/**
 * Follows the price feed: calls `listener` with the snapshot and with every later tick, none twice
 * and none that is older than a received tick. Returns a function that ends it.
 */
export const followPrices = (
  socket: PriceSocket,
  listener: (tick: PriceTick) => void,
): (() => void) => {
  let newest = -1;
  const hear = (message: unknown): void => {
    if (!isTick(message) || message.seq <= newest) return;
    newest = message.seq;
    listener(message);
  };
  socket.on('price_snapshot', hear);
  socket.on('price_update', hear);
  return () => void socket.close();
};
