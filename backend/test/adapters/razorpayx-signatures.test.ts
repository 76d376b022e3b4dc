import { describe, expect, test } from 'vitest';
import { deliver, newSecret, oldSecret, payoutEvent, sign } from './razorpayx-events.ts';

describe('a signature', () => {
  const body = JSON.stringify(payoutEvent('payout.processed'));

  test.each(['x-gateway-signature', 'x-razorpay-signature'])('may be in %s', (header) => {
    expect(deliver(body, { [header]: sign(body, oldSecret) }).valid).toBe(true);
    expect(deliver(body, { [header]: sign(body, newSecret) }).valid).toBe(true);
    expect(deliver(body, { [header]: sign(body, 'dev-only-another-secret') }).valid).toBe(false);
  });

  test('that is missing, repeated or of other bytes is none', () => {
    expect(deliver(body, {}).valid).toBe(false);
    expect(deliver(body, { 'x-gateway-signature': [sign(body, oldSecret), 'b'] }).valid).toBe(
      false,
    );
    expect(deliver(`${body} `, { 'x-gateway-signature': sign(body, oldSecret) }).valid).toBe(false);
  });

  test('has the event id of its header beside it, where there is one', () => {
    const signature = { 'x-gateway-signature': sign(body, newSecret) };
    const verified = deliver(body, { ...signature, 'x-razorpay-event-id': 'event-1' });
    expect(verified).toMatchObject({ eventId: 'event-1' });
    expect(deliver(body, signature)).not.toHaveProperty('eventId');
    const odd = deliver(body, { ...signature, 'x-razorpay-event-id': 'a b' });
    expect(odd).not.toHaveProperty('eventId');
  });
});
