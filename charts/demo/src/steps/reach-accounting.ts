import { z } from 'zod';
import assert from 'node:assert/strict';
import type { ClusterStep, DemoContext, IngressEndpoint } from '../cluster.types.ts';
import { sendRequest } from '../tools/send-request.ts';

const base = '/api/v1/accounting';
const visitor = 'accounting-visitor';

/**
 * Runs in a pod: requests each path at the address of the first argument, and prints the statuses.
 */
const visitorScript = `
const { get } = require('node:http');
const [address, port, host, ...paths] = process.argv.slice(1);
const ask = (path) => new Promise((resolve, reject) => {
  get({ host: address, port, path, headers: { host }, timeout: 10000 }, (response) => {
    response.resume();
    resolve(response.statusCode);
  }).once('error', reject);
});
Promise.all(paths.map(ask)).then((statuses) => console.log(JSON.stringify(statuses)));
`;

const visitorPod = (image: string, endpoint: IngressEndpoint) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: visitor, labels: { 'app.kubernetes.io/name': visitor } },
  spec: {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 10_001,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: visitor,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: [
          'node',
          '--eval',
          visitorScript,
          endpoint.address,
          String(endpoint.port),
          endpoint.host,
          `${base}/health`,
          `${base}/auth/me`,
        ],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  },
});

/** The statuses that somebody inside the cluster gets at the internal ingress. */
const requestFromInside = async (context: DemoContext): Promise<readonly number[]> => {
  const { kubectl } = context;
  const { repository, tag } = context.readState('image');
  const pod = visitorPod(`${repository}:${tag}`, context.readState('ingressEndpoints').accounting);
  const remove = ['delete', 'pod', visitor, '--ignore-not-found', '--wait'];
  await kubectl.run(remove);
  await kubectl.run(['create', '--filename', '-'], { stdin: JSON.stringify(pod) });
  try {
    const done = '--for=jsonpath={.status.phase}=Succeeded';
    await kubectl.run(['wait', `pod/${visitor}`, done, '--timeout=90s']);
    return z.array(z.int()).parse(JSON.parse(await kubectl.run(['logs', visitor])));
  } finally {
    await kubectl.run(remove);
  }
};

/** The status that somebody outside gets, or why none. */
const requestFromOutside = (endpoint: IngressEndpoint): Promise<string> =>
  sendRequest({ ...endpoint, path: `${base}/health`, timeoutMs: 5000 }).then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

/** For the company's network alone. */
export const reachAccounting: ClusterStep = {
  title: 'Accounting is reachable from inside, and not from the public ingress',
  async run(context) {
    const { customer, admin, accounting } = context.readState('ingressEndpoints');
    const [health, guard] = await requestFromInside(context);
    assert(health === 200, `from inside GET ${base}/health answered ${health}`);
    assert(guard === 401, `from inside GET ${base}/auth/me answered ${guard}, not 401`);

    for (const { host } of [accounting, customer, admin]) {
      const status = await requestFromOutside({ ...customer, host });
      assert(status === '404', `the public ingress answered ${status} for ${host}${base}`);
    }
    const internal = await requestFromOutside(accounting);
    const isSilent = !/^\d+$/u.test(internal);
    assert(isSilent, `from outside ${accounting.address} answered ${internal}`);
    return [
      `a pod, by ${accounting.address}: GET /health 200, GET /auth/me without a session 401`,
      `at the public ingress ${customer.address}: 404, under the host of each API`,
      `from outside nothing answers at ${accounting.address}: ${internal}`,
    ];
  },
};
