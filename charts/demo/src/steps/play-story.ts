import assert from 'node:assert/strict';
import {
  developmentAdmins,
  developmentPortalUsers,
  runDemo,
  type DemoEndpoints,
} from '@digital-gold/backend/demo';
import type { ClusterStep, DemoContext, IngressEndpoint } from '../cluster.types.ts';
import { service, testbed } from '../release.ts';

const urlOf = ({ host, port }: IngressEndpoint): string =>
  port === 80 ? `http://${host}` : `http://${host}:${port}`;

const onLoopback = (port: number): string => `http://127.0.0.1:${port}`;

/** The owner's connection to the database, which only the invariants use. */
const databaseUrl = async ({ kubectl, forward }: DemoContext): Promise<string> => {
  const secret = await kubectl.readSecret(`${testbed}-migrate`, 'MIGRATE_DATABASE_URL');
  const url = new URL(secret);
  url.hostname = '127.0.0.1';
  url.port = String((await forward(`service/${testbed}-postgres`, 5432)).port);
  return url.href;
};

/**
 * Customers and operators use the public ingress. Services that are not reachable from outside
 * (accounting, the sandbox's controls, the database) use port-forwards.
 */
const findEndpoints = async (context: DemoContext): Promise<DemoEndpoints> => {
  const { customer, admin } = context.readState('ingressEndpoints');
  const accounting = await context.forward(`service/${service}-accounting`, 80);
  const sandbox = await context.forward(`service/${testbed}-sandbox`, 4010);
  return {
    customer: urlOf(customer),
    admin: urlOf(admin),
    accounting: onLoopback(accounting.port),
    sandbox: onLoopback(sandbox.port),
    database: await databaseUrl(context),
    admins: developmentAdmins,
    portalUsers: {
      accountant: developmentPortalUsers.accountant,
      viewer: developmentPortalUsers.viewer,
    },
    resolve: { [customer.host]: customer.address, [admin.host]: admin.address },
  };
};

/** Runs the story of `make demo`. Its lines are indented below the title of this step. */
export const playStory: ClusterStep = {
  title: "The customer's story, through the ingress",
  async run(context) {
    const endpoints = await findEndpoints(context);
    const write = (text: string): void => context.print(text.replaceAll(/^(?=.)/gmu, '    '));
    const hasPassed = await runDemo({ endpoints, write, colours: false });
    assert(hasPassed, 'a step of the story failed');
    return [];
  },
};
