import { z } from 'zod';
import { exampleOf } from '../../platform/http/index.ts';
import { gatewayModes } from './gateway-settings.store.ts';

/** A payment gateway as operators see it. Its credentials are never shown. */
export const gatewayView = z.object({
  code: z.string(),
  enabled: z.boolean(),
  mode: z.enum(gatewayModes),
  credentialsConfigured: z
    .boolean()
    .describe('True if the environment of the service has all variables of the gateway.'),
  isDefault: z.boolean(),
});
gatewayView.register(z.globalRegistry, {
  id: 'PaymentGateway',
  description: 'A payment gateway and its settings. Its credentials are never shown.',
  examples: [
    { code: 'razorpay', enabled: true, mode: 'live', credentialsConfigured: true, isDefault: true },
  ],
});

const routesOf = (code: z.ZodType<string>) =>
  z.object({
    upi: code.optional(),
    card: code.optional(),
    netbanking: code.optional(),
    wallet: code.optional(),
  });

export const gatewaysView = z.object({
  items: z.array(gatewayView),
  priority: z.array(z.string()),
  routes: routesOf(z.string()),
});
gatewaysView.register(z.globalRegistry, {
  id: 'PaymentGateways',
  description: 'The payment gateways, and the order in which they are chosen.',
  examples: [
    { items: [exampleOf(gatewayView)], priority: ['razorpay'], routes: { upi: 'razorpay' } },
  ],
});

export type GatewayView = z.output<typeof gatewayView>;
export type GatewaysView = z.output<typeof gatewaysView>;

export const gatewayParams = z.object({ code: z.string().max(64) });

/** A change of one gateway. An omitted field keeps its value. */
export const gatewayPatch = z
  .object({ enabled: z.boolean().exactOptional(), mode: z.enum(gatewayModes).exactOptional() })
  .refine(({ enabled, mode }) => enabled !== undefined || mode !== undefined, {
    path: ['enabled'],
    message: 'enabled or mode must be given',
  });
gatewayPatch.register(z.globalRegistry, {
  id: 'UpdateGatewayRequest',
  examples: [{ enabled: true, mode: 'live' }],
});
export type GatewayPatch = z.output<typeof gatewayPatch>;

/**
 * Creates the schemas of request bodies that name gateways. Every gateway with an adapter is
 * allowed, configured or not.
 */
export const gatewayBodies = (codes: readonly string[]) => {
  const code = z.enum(codes);
  const [example] = codes;
  return {
    default: z
      .object({ code })
      .meta({ id: 'DefaultGatewayRequest', examples: [{ code: example }] }),
    priority: z
      .object({
        codes: z
          .array(code)
          .max(codes.length)
          .refine((named) => new Set(named).size === named.length, 'must name each gateway once'),
      })
      .meta({ id: 'GatewayPriorityRequest', examples: [{ codes }] }),
    routes: routesOf(code).meta({ id: 'GatewayRoutesRequest', examples: [{ upi: example }] }),
  };
};
