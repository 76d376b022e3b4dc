import { z } from 'zod';

/** The settings of the example. The network exists already. The example does not create it. */
export const gkeSettings = z.strictObject({
  project: z.string().min(1),
  region: z.string().min(1),
  /** The network, as `projects/PROJECT/global/networks/NAME`. */
  network: z.string().startsWith('projects/'),
  subnetwork: z.string().min(1),
  /** Names of the subnetwork's secondary ranges. */
  podRange: z.string().min(1),
  serviceRange: z.string().min(1),
  /** CIDR ranges from which the Kubernetes API server can be reached, such as the company's network. */
  apiServerRanges: z.array(z.cidrv4()).min(1),
  bucket: z.string().min(3),
});

export type GkeSettings = z.output<typeof gkeSettings>;
