import { z } from 'zod';

/** Tells the example of the network, which is its own team's and is not made here. */
export const eksSettings = z.strictObject({
  region: z.string().min(1),
  vpcId: z.string().startsWith('vpc-'),
  /** Private subnets of the nodes, in three zones. */
  nodeSubnets: z.array(z.string().startsWith('subnet-')).min(2),
  /** Private subnets of the database and the cache. */
  storeSubnets: z.array(z.string().startsWith('subnet-')).min(2),
  /** Names the place of the service. Only its ServiceAccount can reach the bucket. */
  namespace: z.string().default('digital-gold'),
  bucket: z.string().min(3),
});

export type EksSettings = z.output<typeof eksSettings>;
