import { describe, expect, it } from 'vitest';
import { joinFrame, pongFrame, readFrame, webSocketUrl, type Frame } from './socket-io.ts';

describe('readFrame', () => {
  it.each<[string, Frame]>([
    [
      '0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":100}',
      { kind: 'open', sid: 'a', pingIntervalMs: 25_000 },
    ],
    ['2', { kind: 'ping' }],
    ['2probe', { kind: 'ping' }],
    ['3', { kind: 'other' }],
    ['1', { kind: 'other' }],
    ['6', { kind: 'other' }],
    ['40', { kind: 'joined', namespace: '/' }],
    ['40{"sid":"b"}', { kind: 'joined', namespace: '/' }],
    ['40/price,{"sid":"b"}', { kind: 'joined', namespace: '/price' }],
    ['41/price,', { kind: 'left', namespace: '/price' }],
    [
      '44/price,{"message":"Invalid namespace"}',
      { kind: 'refused', namespace: '/price', message: 'Invalid namespace' },
    ],
    [
      '42/price,["price_update",{"seq":1,"note":"a,b"}]',
      {
        kind: 'event',
        namespace: '/price',
        name: 'price_update',
        data: { seq: 1, note: 'a,b' },
      },
    ],
    ['42["hello"]', { kind: 'event', namespace: '/', name: 'hello', data: undefined }],
    [
      '42/price,17["asked",{"n":1}]',
      { kind: 'event', namespace: '/price', name: 'asked', data: { n: 1 } },
    ],
    ['43/price,17[]', { kind: 'other' }],
    ['451-/price,["binary",{"_placeholder":true,"num":0}]', { kind: 'other' }],
  ])('reads %s', (text, frame) => {
    expect(readFrame(text)).toEqual(frame);
  });

  it.each(['', 'hello', '9', '0{}', '0null', '42/price,{}', '42[1]', '42[', '44/price,'])(
    'refuses %s',
    (text) => {
      expect(() => readFrame(text)).toThrow(/./u);
    },
  );
});

it('speaks as a client of the same protocols', () => {
  expect(joinFrame('/price')).toBe('40/price,');
  expect(pongFrame).toBe('3');
  expect(webSocketUrl('https://customer.example.test')).toBe(
    'wss://customer.example.test/socket.io/?EIO=4&transport=websocket',
  );
});
