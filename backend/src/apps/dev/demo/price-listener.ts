import { io } from 'socket.io-client';
import type { z } from 'zod';
import { tickWire } from './wire.ts';

export type Tick = z.output<typeof tickWire>;

/** A client of the price feed: what it has heard so far, oldest first. */
export interface PriceListener {
  snapshot(): Tick | undefined;
  ticks(): readonly Tick[];
  close(): void;
}

/** Listens to the feed of a customer API (interface, Events). */
export const listenToPrices = (customerUrl: string): PriceListener => {
  const socket = io(`${customerUrl}/price`, { transports: ['websocket'], forceNew: true });
  const ticks: Tick[] = [];
  let snapshot: Tick | undefined;
  socket.on('price_snapshot', (message: unknown) => {
    snapshot = tickWire.parse(message);
  });
  socket.on('price_update', (message: unknown) => {
    ticks.push(tickWire.parse(message));
  });
  return {
    snapshot: () => snapshot,
    ticks: () => ticks,
    close: () => void socket.close(),
  };
};
