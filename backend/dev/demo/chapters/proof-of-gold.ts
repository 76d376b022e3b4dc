import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Demo, Step } from '../demo.types.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

const run = promisify(execFile);

/** Lets an operator request a statement, and follows it until it is published. */
const publish = async (demo: Demo) => {
  const { api } = demo.readState('operator');
  const { body: asked } = await api.post('/v1/proof-of-gold/runs');
  const path = { id: asked.id };
  return until({
    timers: demo.timers,
    seconds: 60,
    look: async () => (await api.get('/v1/proof-of-gold/runs/{id}', { path })).body,
    isThere: ({ finishedAt }) => finishedAt !== null,
    otherwise: ({ status }) => `the statement is ${status}`,
  });
};

/** Fetches the program that verifies, as anybody can. */
const fetchVerifier = async ({
  network,
  endpoints,
}: Pick<Demo, 'network' | 'endpoints'>): Promise<string> => {
  const url = `${endpoints.customer}/v1/public/proof-of-gold/verify.mjs`;
  const response = await network.fetch(new Request(url));
  expectThat(response.ok, `the program that verifies answers ${response.status}`);
  return response.text();
};

/** Lets the customer verify their own proof in a folder of theirs, and returns what it says. */
const verifyOwn = async (demo: Demo): Promise<readonly string[]> => {
  const { api, userId } = demo.readState('customer');
  const { body: proof } = await api.get('/v1/portfolio/proof');
  const folder = await mkdtemp(join(tmpdir(), 'proof-of-gold-'));
  try {
    await writeFile(join(folder, 'verify.mjs'), await fetchVerifier(demo));
    await writeFile(join(folder, 'proof.json'), JSON.stringify(proof));
    const args = ['verify.mjs', 'proof.json', '--customer', userId];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    const bytes = Buffer.byteLength(JSON.stringify(proof));
    return [`proof.json has ${bytes} bytes; node ${args.join(' ')}`, ...stdout.trim().split('\n')];
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** A statement is signed, and the customer checks their own grams in it without trusting anybody. */
export const proveGold: Step = {
  title: 'The customer checks that their gold is there',
  async run(demo) {
    const { status, reason, sequence } = await publish(demo);
    expectThat(status === 'PUBLISHED', `nothing was signed: ${reason ?? status}`);
    return [`statement ${sequence ?? 0} is signed and public`, ...(await verifyOwn(demo))];
  },
};

/** The gold provider says 0.0001 g more than it holds: nothing is signed, until it is right again. */
export const refuseProof: Step = {
  title: 'Books that differ by 0.0001 g are not signed',
  async run(demo) {
    await demo.sandbox.post('/_control/faults', {
      body: { collaborator: 'safegold', operation: 'get-user', fault: 'wrong_amount' },
    });
    const refused = await publish(demo);
    expectThat(refused.reason === 'BOOKS_DIFFER', `the statement is ${refused.status}`);
    const sample = expectPresent(refused.detail?.samples?.[0], 'account that differs');
    const again = await publish(demo);
    expectThat(again.status === 'PUBLISHED', `nothing was signed again: ${again.reason ?? ''}`);
    return [
      `${refused.status}, ${refused.reason}: ${refused.detail?.accountsDiffering ?? 0} account`,
      `our books have ${sample.booked} g, the provider says ${sample.confirmed} g`,
      `it differs by ${sample.difference} g; an operator sees the run and its reason`,
      `right again: statement ${again.sequence ?? 0} is signed`,
    ];
  },
};
