import { expect, it } from 'vitest';
import { followPrices, type PriceEvents, type PriceSocket, type PriceTick } from '../src/index.ts';

const tick = (seq: number): PriceTick => ({
  buyPaise: 1_453_000,
  sellPaise: 1_410_000,
  spotPaise: 1_431_500,
  currency: 'INR',
  unit: 'GRAM',
  source: 'PROVIDER',
  asOf: '2026-01-15T09:30:00.000Z',
  seq,
});

it('hears each tick once, in order, and nothing that is no tick', () => {
  const listeners = new Map<keyof PriceEvents, (message: PriceTick) => void>();
  let isClosed = false;
  const socket: PriceSocket = {
    on: (event, listener) => listeners.set(event, listener),
    close: () => void (isClosed = true),
  };
  const heard: number[] = [];
  const stop = followPrices(socket, ({ seq }) => heard.push(seq));
  const say = (event: keyof PriceEvents, message: unknown): void =>
    listeners.get(event)?.(message as PriceTick); // whatever a socket brings
  say('price_snapshot', tick(7));
  say('price_update', tick(7));
  say('price_update', tick(8));
  // A socket that connects again gets a snapshot, and may come to a replica that is behind.
  say('price_snapshot', tick(8));
  say('price_update', tick(6));
  for (const wrong of [null, 'x', {}, { ...tick(9), buyPaise: 1.5 }, { ...tick(9), asOf: 1 }]) {
    say('price_update', wrong);
  }
  say('price_update', tick(9));
  expect(heard).toEqual([7, 8, 9]);
  stop();
  expect(isClosed).toBe(true);
});
