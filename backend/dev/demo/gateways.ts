import type { AdminSchemas } from '@digital-gold/client';
import type { Demo } from './demo.types.ts';
import { signInOperator } from './people.ts';

/**
 * The story's gateways. The checkout of the first returns the signature that a client sends to
 * `verify`.
 */
export const firstGateway = 'sandbox';
export const secondGateway = 'cashfree';
const knownCodes = ['sandbox', 'cashfree', 'razorpay'] as const;

type GatewaySettings = AdminSchemas['PaymentGateways'];

/** Enables the story's gateways and puts them first. Returns the previous settings. */
export const takeGateways = async (demo: Demo): Promise<GatewaySettings> => {
  const { api } = (await signInOperator(demo, 'SUPER_ADMIN')).operator;
  const { body: before } = await api.get('/v1/payment-gateways');
  const codes = [firstGateway, secondGateway] as const;
  for (const code of codes) {
    await api.patch('/v1/payment-gateways/{code}', { path: { code }, body: { enabled: true } });
  }
  await api.put('/v1/payment-gateways/default', { body: { code: firstGateway } });
  await api.put('/v1/payment-gateways/priority', { body: { codes: [...codes] } });
  return before;
};

/** Restores the default and the priority to their values before the story. */
export const giveGatewaysBack = async (
  demo: Demo,
  { items, priority }: GatewaySettings,
): Promise<void> => {
  const { api } = (await signInOperator(demo, 'SUPER_ADMIN')).operator;
  const usual = knownCodes.find((code) =>
    items.some((item) => item.isDefault && item.code === code),
  );
  if (usual !== undefined) await api.put('/v1/payment-gateways/default', { body: { code: usual } });
  const codes = knownCodes
    .filter((code) => priority.includes(code))
    .toSorted((one, other) => priority.indexOf(one) - priority.indexOf(other));
  await api.put('/v1/payment-gateways/priority', { body: { codes } });
};
