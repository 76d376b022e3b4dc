import { z } from 'zod';
import type { Api, DemoContext, IngressEndpoint } from './cluster.types.ts';
import { service } from './release.ts';

const ingressWire = z.object({
  spec: z.object({ rules: z.array(z.object({ host: z.string() })).min(1) }),
  status: z.object({
    loadBalancer: z.object({
      ingress: z
        .array(z.object({ ip: z.string().optional(), hostname: z.string().optional() }))
        .default([]),
    }),
  }),
});

/** `address` or `address:port`. */
const splitAddress = (given: string): { address: string; port: number } => {
  const [, address = '', port = '80'] = /^(.+?)(?::(\d{1,5}))?$/u.exec(given) ?? [];
  return { address, port: Number(port) };
};

const readEndpoint = async (
  { kubectl }: DemoContext,
  api: Api,
  given: string | undefined,
): Promise<IngressEndpoint | undefined> => {
  const { spec, status } = await kubectl.read(['get', 'ingress', `${service}-${api}`], ingressWire);
  const [found] = status.loadBalancer.ingress;
  const address = given ?? found?.ip ?? found?.hostname;
  const host = spec.rules[0]?.host;
  if (address === undefined || host === undefined) return undefined;
  return { host, ...splitAddress(address) };
};

/** @throws Error when there is no address after a minute */
const waitForEndpoint = async (context: DemoContext, api: Api): Promise<IngressEndpoint> => {
  const { ingressAddress, internalIngressAddress } = context.options;
  const [variable, given] =
    api === 'accounting'
      ? (['INTERNAL_INGRESS_ADDRESS', internalIngressAddress] as const)
      : (['INGRESS_ADDRESS', ingressAddress] as const);
  for (let tries = 0; tries < 60; tries += 1) {
    const endpoint = await readEndpoint(context, api, given);
    if (endpoint !== undefined) return endpoint;
    await context.sleep(1000);
  }
  throw new Error(`the Ingress of ${api} has no address: set ${variable}`);
};

/**
 * Returns each API's address: the given address, else the address that the ingress controller wrote
 * into the Ingress's status.
 */
export const readIngressEndpoints = async (
  context: DemoContext,
): Promise<Record<Api, IngressEndpoint>> => ({
  customer: await waitForEndpoint(context, 'customer'),
  admin: await waitForEndpoint(context, 'admin'),
  accounting: await waitForEndpoint(context, 'accounting'),
});
