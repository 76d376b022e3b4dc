import { describe, expect, it } from 'vitest';
import { buyMoves, mayMove, moverOf } from './gold.states.ts';
import { buyStatuses } from './gold.types.ts';

/** decisions, section 3: gold order, buy; and the exits of manual review by machines. */
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
]);
const pairs = buyStatuses.flatMap((from) => buyStatuses.map((to) => [from, to] as const));

describe('the table of a buy', () => {
  it.each(pairs)('from %s to %s', (from, to) => {
    expect(buyMoves[from][to] !== undefined).toBe(legal.has(`${from}>${to}`));
  });

  it('says who may cause a move', () => {
    expect(mayMove('PENDING', 'PAID', 'gateway:sandbox')).toBe(true);
    expect(mayMove('PENDING', 'PAID', 'worker')).toBe(false);
    expect(mayMove('PAID', 'ALLOCATED', 'worker')).toBe(true);
    expect(mayMove('PAID', 'ALLOCATED', 'gateway:sandbox')).toBe(false);
    expect(mayMove('PENDING', 'ALLOCATED', 'worker')).toBe(false);
    expect(moverOf('customer:0190')).toBe('customer');
  });
});
