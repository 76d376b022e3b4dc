import type { Story } from './story.ts';

/**
 * Adds payments by mandate, which no step played, to the story. It reads the newest `maxPayments`
 * payments of each gateway.
 */
export const addDebits = async (story: Story, maxPayments: number): Promise<void> => {
  if (!story.world.plans.some(({ hasMandate }) => hasMandate)) return;
  const { body } = await story.system.control('GET', `/payments?limit=${maxPayments}`);
  const known = new Set(story.world.buys.flatMap(({ payments }) => payments.map(({ id }) => id)));
  for (const item of body.items) {
    if (known.has(item.gateway_payment_id)) continue;
    const buy = story.world.buys.find(({ gatewayOrderIds }) =>
      gatewayOrderIds.includes(item.gateway_order_id),
    );
    if (buy === undefined) continue;
    buy.payments.push({
      id: item.gateway_payment_id,
      gatewayOrderId: item.gateway_order_id,
      signature: item.signature,
      outcome: item.status === 'captured' ? 'captured' : 'failed',
      amountPaise: item.amount_paise,
      currency: item.currency,
      playedAt: story.world.now,
      late: false,
      reversedPaise: 0,
      reversalTold: false,
    });
  }
};
