import { io } from 'socket.io-client';
import { z } from 'zod';
import type { DemoNetwork } from './demo-network.ts';

const paise = z.int();

const tickWire = z.object({
  buyPaise: paise,
  sellPaise: paise,
  spotPaise: paise,
  asOf: z.iso.datetime(),
  seq: z.int(),
});

type Tick = z.output<typeof tickWire>;

/** A client of the price feed. It keeps the received messages, oldest first. */
export interface PriceListener {
  snapshot(): Tick | undefined;
  ticks(): readonly Tick[];
  close(): void;
}

/** Listens to the feed of a customer API (contract: price > Price feed). */
export const listenToPrices = (
  customerUrl: string,
  network: Pick<DemoNetwork, 'socketTo'>,
): PriceListener => {
  const { url, headers } = network.socketTo(customerUrl);
  const socket = io(`${url}/price`, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: headers,
  });
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
