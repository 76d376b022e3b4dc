import { describe, expect, it } from 'vitest';
import { paise } from '../../money/index.ts';
import { buyStatuses } from '../orders/index.ts';
import { decideReversal, findUnrecordedReversals } from './apply-reversal.ts';
import type { ReversalKind } from './payments.types.ts';

describe('a reversal of a payment', () => {
  it.each(buyStatuses)('waits for its capture if the order is %s', (status) => {
    const order = { status };
    expect(decideReversal({ payment: undefined, order })).toBe('WAIT');
    const failed = { status: 'FAILED', disposition: 'NONE' } as const;
    expect(decideReversal({ payment: failed, order })).toBe('WAIT');
    const unknown = { status: 'CAPTURED', disposition: 'UNMATCHED' } as const;
    expect(decideReversal({ payment: unknown, order })).toBe('WAIT');
    const paidBack = { status: 'REFUNDED', disposition: 'REFUNDED' } as const;
    expect(decideReversal({ payment: paidBack, order })).toBe('RESOLVED');
  });

  it.each([
    ['PAID', 'REVIEW'],
    ['RETRY_PENDING', 'REVIEW'],
    ['ALLOCATED', 'REVIEW'],
    ['MANUAL_REVIEW', 'NOTE'],
  ] as const)('of a payment that a %s order holds is decided as %s', (status, decision) => {
    const payment = { status: 'CAPTURED', disposition: 'APPLIED' } as const;
    expect(decideReversal({ payment, order: { status } })).toBe(decision);
  });
});

const known = (kind: ReversalKind, reference: string | null, amount: bigint) => ({
  kind,
  reference,
  amountPaise: paise(amount),
});
const told = (kind: ReversalKind, reference: string, amount: bigint) => ({
  kind,
  reference,
  amountPaise: paise(amount),
});

describe('the reversals that the gateway lists and that are not recorded', () => {
  it.each([
    ['nothing is known', [], ['r1', 'r2', 'd1']],
    ['one is known by its reference', [known('REFUND', 'r1', 5n)], ['r2', 'd1']],
    ['a reference is of the other kind', [known('DISPUTE', 'r1', 5n)], ['r1', 'r2', 'd1']],
    ['one without a reference is any of its amount', [known('REFUND', null, 5n)], ['r2', 'd1']],
    ['it is of another amount', [known('REFUND', null, 6n)], ['r1', 'r2', 'd1']],
    [
      'it is one only',
      [known('REFUND', null, 5n), known('REFUND', null, 5n), known('DISPUTE', 'd1', 1n)],
      [],
    ],
  ])('if %s', (_what, recorded, lacking) => {
    const atGateway = [
      told('REFUND', 'r1', 5n),
      told('REFUND', 'r2', 5n),
      told('DISPUTE', 'd1', 5n),
    ];
    const found = findUnrecordedReversals(atGateway, recorded);
    expect(found.map(({ reference }) => reference)).toEqual(lacking);
  });
});
