import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { addressGroup, clientAddress } from './request-scope.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress },
  }) as IncomingMessage; // the parts that are read

it.each([
  ['no proxy is trusted', 0, '192.0.2.1'],
  ['one is, and wrote the last entry', 1, '198.51.100.3'],
  ['two are', 2, '198.51.100.2'],
  ['more are than there were', 9, '198.51.100.1'],
])('the scope finds the client where %s', (_where, hops, address) => {
  const forwarded = '198.51.100.1, 198.51.100.2,198.51.100.3';
  expect(clientAddress(request('192.0.2.1', forwarded), hops)).toBe(address);
});

it('the scope finds the connection itself where nothing was forwarded', () => {
  expect(clientAddress(request('192.0.2.1'), 1)).toBe('192.0.2.1');
  expect(clientAddress(request('192.0.2.1', ' , '), 1)).toBe('192.0.2.1');
});

it.each([
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
])('the scope reads %s as %s', (forwarded, address) => {
  expect(clientAddress(request('192.0.2.1', forwarded), 1)).toBe(address);
});

it.each(['an-operator', '203.0.113.7:443:1', '203.0.113.7:x', '[203.0.113.7', 'fe80::1%eth0'])(
  'finds the connection itself where %s was forwarded, which is no address',
  (forwarded) => {
    expect(clientAddress(request('192.0.2.1', forwarded), 1)).toBe('192.0.2.1');
  },
);

it('the scope groups IPv6 addresses by their /64, and no IPv4 address', () => {
  expect(addressGroup('2001:db8:1:2:3::4')).toBe(addressGroup('2001:db8:1:2:ffff::'));
  expect(addressGroup('2001:db8:1:3::4')).not.toBe(addressGroup('2001:db8:1:2::4'));
  expect(addressGroup('203.0.113.7')).toBe('203.0.113.7');
  expect(addressGroup('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(addressGroup('::ffff:203.0.113.8')).not.toBe(addressGroup('::ffff:203.0.113.7'));
});
