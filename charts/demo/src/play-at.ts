import {
  developmentAdmins,
  developmentPortalUsers,
  runDemo,
  type DemoEndpoints,
} from '@digital-gold/backend/demo';
import { z } from 'zod';

/**
 * Plays the story against an existing installation, such as one behind port-forwards.
 * DEMO_ENDPOINTS holds its addresses as JSON.
 */
const endpointsSchema = z.strictObject({
  customer: z.url(),
  admin: z.url(),
  accounting: z.url(),
  sandbox: z.url(),
  /** The database as the role that owns the schema, for the invariants. */
  database: z.string(),
});

const given = endpointsSchema.parse(JSON.parse(process.env['DEMO_ENDPOINTS'] ?? '{}'));
const endpoints: DemoEndpoints = {
  ...given,
  admins: developmentAdmins,
  portalUsers: {
    accountant: developmentPortalUsers.accountant,
    viewer: developmentPortalUsers.viewer,
  },
};
const write = (text: string): void => {
  process.stdout.write(text);
};
process.exitCode = (await runDemo({ endpoints, write, colours: false })) ? 0 : 1;
