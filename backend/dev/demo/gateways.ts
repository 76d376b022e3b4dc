import type { AdminSchemas } from '@digital-gold/client';
import type { Demo } from './demo.types.ts';
import { signInOperator } from './people.ts';

/** The story's own gateways: the first one's checkout has what a client shows to `verify`. */
export const firstGateway = 'sandbox';
export const secondGateway = 'cashfree';
const knownCodes = ['sandbox', 'cashfree', 'razorpay'] as const;

type GatewaySettings = AdminSchemas['PaymentGateways'];

/** Puts the story's gateways first, in use whatever an operator has set. Returns what was set. */
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

/** Sets default and priority back as they were before the story. */
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
