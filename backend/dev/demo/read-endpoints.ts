import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { StepFailure } from './step-failure.ts';

const account = z.object({ email: z.string(), password: z.string() });

/** The fields of the endpoints file that the demo uses (contract: local-stack > Endpoints file). */
const endpointsSchema = z.object({
  customer: z.url(),
  admin: z.url(),
  accounting: z.url(),
  sandbox: z.url(),
  database: z.string(),
  admins: z.object({ SUPER_ADMIN: account, ADMIN: account, SUPPORT: account }),
  portalUsers: z.object({ accountant: account, viewer: account }),
  /**
   * The folder of the switches, if the demo may change them. A cluster has a ConfigMap instead.
   */
  settingsDir: z.string().optional(),
  /** Hosts of the addresses above that are reached at another one, such as an ingress's. */
  resolve: z.record(z.string(), z.string()).optional(),
});

export type DemoEndpoints = z.output<typeof endpointsSchema>;

/**
 * Reads the addresses of the running stack.
 * @throws StepFailure if there is none.
 */
export const readEndpoints = (file: string): DemoEndpoints => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new StepFailure(`there is no ${file}: bring the stack up with "make up" first`);
  }
  const endpoints = endpointsSchema.safeParse(JSON.parse(text));
  if (endpoints.success) return endpoints.data;
  throw new StepFailure(`${file} is of another version: run "make up" again`);
};
