import { describe, expect, it } from 'vitest';
import { addressSeed, clientAddress, forgedHeaders, ipv6Address } from './client-addresses.ts';

describe('clientAddress', () => {
  it('gives every number an address of its own, round the end of the network', () => {
    expect(clientAddress(0, 0)).toBe('10.0.0.0');
    expect(clientAddress(0, 258)).toBe('10.0.1.2');
    expect(clientAddress(2 ** 24 - 1, 0)).toBe('10.255.255.255');
    expect(clientAddress(2 ** 24 - 1, 1)).toBe('10.0.0.0');
    const all = Array.from({ length: 1000 }, (_, index) =>
      clientAddress(addressSeed(0.999), index),
    );
    expect(new Set(all).size).toBe(1000);
  });
});

describe('ipv6Address', () => {
  it('has the same 56 bits for the parts of one client, and others for the next', () => {
    expect(ipv6Address(0, 0x1234, 0x05)).toBe('2001:db8:12:3405::1');
    expect(ipv6Address(0, 0x1234, 0xff)).toBe('2001:db8:12:34ff::1');
    expect(ipv6Address(1, 0x1234, 0x05)).toBe('2001:db8:12:3505::1');
  });
});

const forwarded = (headers: readonly Readonly<Record<string, string>>[]) =>
  headers.map((one) => one['x-forwarded-for']?.split(', ').at(-1));

describe('forgedHeaders', () => {
  it("always ends with the address that the hop appends, whatever the client's own words", () => {
    const forged = forgedHeaders('192.0.2.9', '10.0.0.1');
    expect(new Set(forwarded(forged))).toEqual(new Set(['10.0.0.1']));
    expect(forged.every((headers) => JSON.stringify(headers).includes('192.0.2.9'))).toBe(true);
    expect(forged[0]).toEqual({ 'x-forwarded-for': '192.0.2.9, 10.0.0.1' });
  });

  it('leaves the appending to a real hop', () => {
    const forged = forgedHeaders('192.0.2.9', undefined);
    expect(forwarded(forged)).toEqual(['192.0.2.9', '192.0.2.9', undefined, undefined, undefined]);
  });
});
