import { z } from 'zod';

/** Tells the example of the network, which is its own team's and is not made here. */
export const gkeSettings = z.strictObject({
  project: z.string().min(1),
  region: z.string().min(1),
  /** The network, as `projects/PROJECT/global/networks/NAME`. */
  network: z.string().startsWith('projects/'),
  subnetwork: z.string().min(1),
  /** Names of the subnetwork's secondary ranges. */
  podRange: z.string().min(1),
  serviceRange: z.string().min(1),
  /** The company's network. The API server can be reached from it. */
  administrators: z.array(z.cidrv4()).min(1),
  bucket: z.string().min(3),
});

export type GkeSettings = z.output<typeof gkeSettings>;
