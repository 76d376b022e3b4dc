import { createHmac } from 'node:crypto';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { publishedSecrets } from '../../dev/stack/environment.ts';
import { playStep } from '../simulation/play-step.ts';
import type { Step } from '../simulation/story.ts';
import { isWaiting, type JobGround, type RunJob } from './take-job.ts';

/** The ways in which the queue may deliver a job that it delivers at least once. */
export const deliveries: Readonly<Record<string, (run: RunJob) => Promise<void>>> = {
  once: (run) => run(0),
  async 'at once'(run) {
    await Promise.all([run(0), run(1)]);
  },
  async 'one after the other'(run) {
    await run(0);
    await run(1);
  },
};

interface JobKind {
  readonly kind: string;
  /** Plays until one job of the kind waits, of a new customer. */
  readonly prepare: (ground: JobGround) => Promise<void>;
}

/** Plays steps, each of which has to fit. */
export const play = async ({ story }: JobGround, steps: readonly Step[]): Promise<void> => {
  for (const step of steps) {
    const isPlayed = await playStep(story, step);
    if (!isPlayed) throw new Error(`${step[0]} does not fit`);
  }
};

/**
 * Delivers what is still in progress and does what waits, so that none of it affects later steps.
 */
export const clearAway = async (ground: JobGround): Promise<void> => {
  const { story } = ground;
  await story.system.queue.drain();
  await story.look(1000);
  await story.collectWebhooks();
  while (story.pendingWebhooks.length > 0)
    await play(ground, [['deliver', { n: 0, times: 1, keep: false }]]);
  await story.system.queue.drain();
  await story.look(1000);
};

const signUp = async (ground: JobGround): Promise<number> => {
  const c = ground.story.world.customers.length;
  await play(ground, [['sign-up', { c, approve: true }]]);
  return c;
};

/** Places a buy and pays it. Its webhook is in progress. */
const pay = async (ground: JobGround): Promise<number> => {
  const c = await signUp(ground);
  const { nextKey, world } = ground.story;
  const b = world.buys.length;
  await play(ground, [
    ['buy', { c, k: nextKey, unit: 'INR', amount: 500_000, gateway: 'sandbox' }],
    ['pay', { b, g: 0, outcome: 'captured', wrong: '' }],
  ]);
  return c;
};

const deliver: Step = ['deliver', { n: 0, times: 1, keep: false }];

const buy = async (ground: JobGround): Promise<number> => {
  const c = await pay(ground);
  await play(ground, [deliver, ['drain', {}]]);
  return c;
};

/** Sells to an account whose payouts stay open, so that a job for the payout waits. */
const sell = async (ground: JobGround): Promise<number> => {
  const c = await buy(ground);
  const number = `12345678${String(c).padStart(2, '0')}9999`;
  await play(ground, [
    ['add-account', { c, number }],
    ['drain', {}],
    ['advance', { seconds: 2 }],
  ]);
  await clearAway(ground);
  await play(ground, [['sell', { c, a: 0, k: ground.story.nextKey, unit: 'GRAMS', amount: 1000 }]]);
  return ground.story.world.sales.length - 1;
};

/** Lets the database refuse what an event does, so that it is kept for a job. */
const refusing = async (
  { migrateUrl }: JobGround,
  { table, check }: { readonly table: string; readonly check: string },
  work: () => Promise<void>,
): Promise<void> => {
  const alter = (change: string): Promise<void> =>
    withConnection(migrateUrl, async (owner) => {
      await owner.query(`ALTER TABLE ${table} ${change}`);
    });
  await alter(`ADD CONSTRAINT refused_for_now CHECK (${check}) NOT VALID`);
  try {
    await work();
  } finally {
    await alter('DROP CONSTRAINT refused_for_now');
  }
};

/** Delivers a webhook whose effect is refused: the story does not take it for heard. */
const deliverUnheard = async ({ story }: JobGround): Promise<void> => {
  const webhook = story.pendingWebhooks.shift();
  if (webhook === undefined) throw new Error('no webhook is under way');
  const answer = await story.sessions.deliver(webhook.path, webhook.headers, webhook.body);
  if (answer.status !== 200) throw new Error(`webhook: ${JSON.stringify(answer.body)}`);
};

/** Plays time and the sweeps of plans until a job of the kind waits. */
const untilDue = async (ground: JobGround, kind: string): Promise<void> => {
  const { system } = ground.story;
  const names = ['plans-replan-debits', 'plans-raise-installments', 'plans-announce-debits'];
  for (let turn = 0; turn < 60; turn += 1) {
    await system.processes().moveDueJobs();
    if (await isWaiting(ground, kind)) return;
    await play(ground, [
      ['advance', { seconds: 10_800 }],
      ...names.map((name): Step => ['run-sweep', { name, both: false }]),
    ]);
  }
  throw new Error(`no ${kind} became due`);
};

const plan = async (ground: JobGround, mandate: string): Promise<void> => {
  const c = await signUp(ground);
  const given = { c, k: ground.story.nextKey, amount: 50_000, frequency: 'DAILY' };
  await play(ground, [['start-plan', { ...given, installments: 1, mandate }]]);
};

const askFor = async ({ story }: JobGround, path: string, body?: object): Promise<void> => {
  const answer = await story.sessions.operator('ADMIN', 'POST', path, body);
  if (answer.status !== 202) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
};

/** Makes a run first, so that the next one meets nothing that is new to it. */
const askAgain = async (ground: JobGround, path: string, body?: object): Promise<void> => {
  await askFor(ground, path, body);
  await clearAway(ground);
  await askFor(ground, path, body);
};

let events = 0;

const tellKyc = async ({ story }: JobGround): Promise<void> => {
  events += 1;
  const body = JSON.stringify({ event: 'made up', number: events });
  const signature = createHmac('sha256', publishedSecrets.kycWebhook).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-signature': signature };
  const answer = await story.sessions.deliver('/v1/webhooks/kyc', headers, body);
  if (answer.status !== 200) throw new Error(`kyc: ${JSON.stringify(answer.body)}`);
};

/** Every kind of job, with what brings one about. */
export const jobKinds: readonly JobKind[] = [
  {
    kind: 'gold.allocate',
    async prepare(ground) {
      await pay(ground);
      await play(ground, [deliver]);
    },
  },
  {
    kind: 'payments.apply-event',
    async prepare(ground) {
      await pay(ground);
      const broken = { table: 'gold_order', check: "status <> 'PAID'" };
      await refusing(ground, broken, () => deliverUnheard(ground));
    },
  },
  {
    kind: 'banking.validate',
    async prepare(ground) {
      const c = await signUp(ground);
      // Its validation stays open: a later run would learn the outcome, which is no second effect.
      const number = `22345678${String(c).padStart(2, '0')}8888`;
      await play(ground, [['add-account', { c, number }]]);
    },
  },
  {
    kind: 'payouts.dispatch',
    async prepare(ground) {
      await sell(ground);
    },
  },
  {
    kind: 'payouts.apply-event',
    async prepare(ground) {
      const s = await sell(ground);
      await play(ground, [
        ['drain', {}],
        ['end-payout', { s, outcome: 'processed' }],
      ]);
      const broken = { table: 'payout', check: "status <> 'PAID'" };
      await refusing(ground, broken, () => deliverUnheard(ground));
    },
  },
  {
    kind: 'kyc.apply-event',
    async prepare(ground) {
      const broken = { table: 'webhook_event', check: "status <> 'IGNORED'" };
      await refusing(ground, broken, () => tellKyc(ground));
    },
  },
  {
    kind: 'gold.open-installment-checkout',
    async prepare(ground) {
      await plan(ground, '');
      await untilDue(ground, 'gold.open-installment-checkout');
    },
  },
  {
    kind: 'gold.debit-installment',
    async prepare(ground) {
      // Of its debit no outcome comes, so that no later run learns one.
      await plan(ground, 'stuck');
      await untilDue(ground, 'gold.debit-installment');
    },
  },
  {
    kind: 'reconciliation.run',
    prepare: (ground) => askAgain(ground, '/v1/reconciliation/runs', { windowHours: 24 }),
  },
  {
    kind: 'proof-of-gold.run',
    prepare: (ground) => askAgain(ground, '/v1/proof-of-gold/runs'),
  },
];
