import { describe, expect, test } from 'vitest';
import {
  deliver,
  envelope,
  payout,
  payoutEvent,
  validation,
  validationEvent,
} from './razorpayx-events.ts';

describe('a payout event', () => {
  test('is read into our words, by its name, without numbers', () => {
    expect(deliver(payoutEvent('payout.failed'))).toEqual({
      valid: true,
      event: {
        kind: 'payout',
        name: 'payout.failed',
        occurredAt: new Date('2026-01-05T04:00:00.000Z'),
        payout: {
          providerPayoutId: 'pout_1',
          referenceId: payout.reference_id,
          fundAccountId: 'fa_1',
          amountPaise: 123_456n,
          status: 'FAILED',
          providerStatus: 'failed',
          mode: 'IMPS',
          failureReason: 'Account … is closed',
        },
      },
    });
  });

  test.each([
    ['payout.processed', 'PAID'],
    ['payout.failed', 'FAILED'],
    ['payout.rejected', 'FAILED'],
    ['payout.reversed', 'REVERSED'],
  ])('%s means %s', (name, status) => {
    expect(deliver(payoutEvent(name))).toMatchObject({
      event: { kind: 'payout', payout: { status } },
    });
  });

  test.each(['payout.initiated', 'payout.updated', 'transaction.created', 'constructor'])(
    '%s is of no consequence',
    (name) => {
      expect(deliver(payoutEvent(name))).toEqual({ valid: true, event: { kind: 'other', name } });
    },
  );

  test('needs no more than the id', () => {
    const bare = { event: 'payout.processed', payload: { payout: { entity: { id: 'pout_1' } } } };
    expect(deliver(bare)).toEqual({
      valid: true,
      event: {
        kind: 'payout',
        name: 'payout.processed',
        payout: { providerPayoutId: 'pout_1', status: 'PAID', providerStatus: 'processed' },
      },
    });
  });
});

const statusOf = (event: string, more: object) => {
  const verified = deliver(validationEvent(event, more));
  return verified.valid && verified.event.kind === 'validation'
    ? verified.event.validation.status
    : verified;
};

describe('a validation event', () => {
  const completed = 'fund_account.validation.completed';
  const results = validation.validation_results;

  test('is read into our words', () => {
    expect(deliver(validationEvent(completed))).toMatchObject({
      valid: true,
      event: {
        kind: 'validation',
        name: completed,
        validation: {
          validationId: 'fav_1',
          referenceId: 'bank-account-1',
          status: 'VALID',
          providerStatus: 'completed',
          registeredName: 'Asha Rao',
          nameMatchScore: 87,
        },
      },
    });
    expect(JSON.stringify(deliver(validationEvent(completed)))).not.toMatch(/\d{6}/);
  });

  test.each([
    ['active', 'VALID'],
    ['valid', 'VALID'],
    ['invalid', 'INVALID'],
    ['VALID', 'INVALID'],
    [null, 'FAILED'],
    ['', 'FAILED'],
  ])('completed with account status %j is %s', (status, expected) => {
    const changed = { validation_results: { ...results, account_status: status } };
    expect(statusOf(completed, changed)).toBe(expected);
  });

  test('is read by its older name too, and failed without results', () => {
    const { validation_results: _none, ...rest } = validation;
    const older = { ...rest, results };
    const part = 'fund_account.validation';
    expect(deliver(envelope(completed, part, older))).toMatchObject({
      event: { validation: { status: 'VALID' } },
    });
    expect(deliver(envelope(completed, part, rest))).toMatchObject({
      event: { validation: { status: 'FAILED', reason: expect.any(String) } },
    });
  });

  test('failed says nothing of the account', () => {
    expect(statusOf('fund_account.validation.failed', {})).toBe('FAILED');
  });

  test.each([101, -1, 8.5, 'much'])('with the score %s has none', (score) => {
    const changed = { validation_results: { ...results, name_match_score: score } };
    const verified = deliver(validationEvent(completed, changed));
    expect(verified).toMatchObject({ event: { validation: { status: 'VALID' } } });
    expect(JSON.stringify(verified)).not.toContain('nameMatchScore');
  });
});

test.each([
  ['nothing', ''],
  ['no JSON', 'payout.processed'],
  ['no object', '[]'],
  ['no event', { payload: {} }],
  ['no payload', { event: 'payout.processed' }],
  ['no entity', { event: 'payout.processed', payload: { payout: {} } }],
  ['no id', payoutEvent('payout.processed', { id: undefined })],
  ['an id that cannot be stored', payoutEvent('payout.processed', { id: 'a\0' })],
  ['half a paisa', payoutEvent('payout.processed', { amount: 0.5 })],
  ['deep nesting', `${'['.repeat(40)}${']'.repeat(40)}`],
  ['no validation', envelope('fund_account.validation.completed', 'payout', validation)],
])('a signed body that holds %s is unreadable', (_what, body) => {
  expect(deliver(body)).toEqual({ valid: true, event: { kind: 'unreadable' } });
});
