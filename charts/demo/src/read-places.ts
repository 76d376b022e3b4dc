import { z } from 'zod';
import { StepFailure } from '@digital-gold/backend/demo';
import type { Api, ClusterWorld, IngressPlace } from './cluster.types.ts';
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

const readPlace = async (
  { kubectl }: ClusterWorld,
  api: Api,
  given: string | undefined,
): Promise<IngressPlace | undefined> => {
  const { spec, status } = await kubectl.read(['get', 'ingress', `${service}-${api}`], ingressWire);
  const [found] = status.loadBalancer.ingress;
  const address = given ?? found?.ip ?? found?.hostname;
  const host = spec.rules[0]?.host;
  if (address === undefined || host === undefined) return undefined;
  return { host, ...splitAddress(address) };
};

/** @throws StepFailure when there is no address after a minute */
const waitForPlace = async (world: ClusterWorld, api: Api): Promise<IngressPlace> => {
  const { ingressAddress, internalIngressAddress } = world.options;
  const [variable, given] =
    api === 'accounting'
      ? (['INTERNAL_INGRESS_ADDRESS', internalIngressAddress] as const)
      : (['INGRESS_ADDRESS', ingressAddress] as const);
  for (let tries = 0; tries < 60; tries += 1) {
    const place = await readPlace(world, api, given);
    if (place !== undefined) return place;
    await world.sleep(1000);
  }
  throw new StepFailure(`the Ingress of ${api} has no address: set ${variable}`);
};

/**
 * Returns each API's address: the one that was given, else the one that the ingress controller
 * wrote into the Ingress's status.
 */
export const readPlaces = async (world: ClusterWorld): Promise<Record<Api, IngressPlace>> => ({
  customer: await waitForPlace(world, 'customer'),
  admin: await waitForPlace(world, 'admin'),
  accounting: await waitForPlace(world, 'accounting'),
});
