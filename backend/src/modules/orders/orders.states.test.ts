import { describe, expect, it } from 'vitest';
import { actorKindOf, allowsTransition } from '../../platform/transitions/transitions.ts';
import { buyTransitions, installmentTransitions, sellTransitions } from './orders.states.ts';
import { buyStatuses, sellStatuses, type BuyStatus } from './orders.types.ts';

/** (contract: states > Gold order, buy; states > Leaving manual review) */
const legal = new Set([
  'PENDING>PAID',
  'PENDING>FAILED',
  'PENDING>MANUAL_REVIEW',
  'FAILED>PAID',
  'FAILED>MANUAL_REVIEW',
  'PAID>ALLOCATED',
  'PAID>RETRY_PENDING',
  'PAID>MANUAL_REVIEW',
  'RETRY_PENDING>PAID',
  'RETRY_PENDING>MANUAL_REVIEW',
  'ALLOCATED>MANUAL_REVIEW',
  'MANUAL_REVIEW>ALLOCATED',
  'MANUAL_REVIEW>PAID',
  'MANUAL_REVIEW>FAILED',
]);
const pairs = buyStatuses.flatMap((from) => buyStatuses.map((to) => [from, to] as const));

const may = (from: BuyStatus, to: BuyStatus, actor: string) =>
  allowsTransition(buyTransitions, { from, to, actor });

describe('the transition table of a buy', () => {
  it.each(pairs)('from %s to %s', (from, to) => {
    expect(buyTransitions[from][to] !== undefined).toBe(legal.has(`${from}>${to}`));
  });

  it('defines the actors of each transition', () => {
    expect(may('PENDING', 'PAID', 'gateway:sandbox')).toBe(true);
    expect(may('PENDING', 'PAID', 'worker')).toBe(false);
    expect(may('PAID', 'ALLOCATED', 'worker')).toBe(true);
    expect(may('PAID', 'ALLOCATED', 'gateway:sandbox')).toBe(false);
    expect(may('PENDING', 'ALLOCATED', 'worker')).toBe(false);
    expect(may('MANUAL_REVIEW', 'FAILED', 'janitor')).toBe(false);
    expect(may('MANUAL_REVIEW', 'FAILED', 'admin:0190')).toBe(true);
    expect(actorKindOf('customer:0190')).toBe('customer');
  });
});

describe('the transition table of an installment', () => {
  const more = new Set([...legal, 'FAILED>PENDING']);
  it.each(pairs)('from %s to %s', (from, to) => {
    expect(installmentTransitions[from][to] !== undefined).toBe(more.has(`${from}>${to}`));
  });

  it('allows only the customer to pay an installment again', () => {
    const again = { from: 'FAILED', to: 'PENDING' } as const;
    const by = (actor: string) => allowsTransition(installmentTransitions, { ...again, actor });
    expect(by('customer:0190')).toBe(true);
    expect(by('worker')).toBe(false);
    expect(by('gateway:sandbox')).toBe(false);
  });
});

const legalSells = new Set([
  'PENDING>VERIFIED',
  'PENDING>FAILED',
  'VERIFIED>CONFIRMED',
  'VERIFIED>FAILED',
  'CONFIRMED>COMPLETED',
  'COMPLETED>CONFIRMED',
]);
const sellPairs = sellStatuses.flatMap((from) => sellStatuses.map((to) => [from, to] as const));

const mayEnd = (to: 'CONFIRMED' | 'FAILED', actor: string) =>
  allowsTransition(sellTransitions, { from: 'VERIFIED', to, actor });

describe('the transition table of a sale', () => {
  it.each(sellPairs)('from %s to %s', (from, to) => {
    expect(sellTransitions[from][to] !== undefined).toBe(legalSells.has(`${from}>${to}`));
  });

  it('allows transitions from VERIFIED only to actors that queried the provider', () => {
    expect(mayEnd('CONFIRMED', 'customer:0190')).toBe(true);
    expect(mayEnd('FAILED', 'janitor')).toBe(true);
    expect(mayEnd('FAILED', 'admin:0190')).toBe(true);
    expect(mayEnd('FAILED', 'payout-provider:razorpayx')).toBe(false);
    expect(
      allowsTransition(sellTransitions, {
        from: 'CONFIRMED',
        to: 'COMPLETED',
        actor: 'customer:0190',
      }),
    ).toBe(false);
  });
});
