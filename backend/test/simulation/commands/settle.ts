import { hasFaults, type Command, type Story } from '../story.ts';
import { nothing } from './payments.ts';
import { checkRest } from '../checks/check-rest.ts';

const rounds = [1, 30, 30, 60, 120, 300, 600];

/** Sweeps that delete, seal or count, for which one run of the settle is enough. */
const housework = /^(?:purge|remove|rehash|renew|rotate|seal|ci|audit|fold|job-queue)-|-purge-/u;

const sweepAll = async ({ system }: Story, round: number): Promise<void> => {
  const { workers } = system.processes();
  const { sweeps } = workers[round % 2 === 0 ? 0 : 1];
  for (const { name, run } of sweeps) {
    if (round === 0 || !housework.test(name)) await run(new AbortController().signal);
  }
};

/**
 * Makes the queries of paid payouts due. They are at most a day apart, which is longer than a
 * settle.
 */
const makePayoutPollsDue = async ({ system }: Story): Promise<void> => {
  await system.client.query(
    `UPDATE payout_attempt SET next_reversal_poll_at = $1
     WHERE status = 'PAID' AND next_reversal_poll_at IS NOT NULL`,
    [system.clock.now()],
  );
};

/** Delivers all waiting webhooks and runs all due jobs, until there are none. */
const doAllWaiting = async (story: Story): Promise<void> => {
  const { system, sessions, pendingWebhooks } = story;
  for (let pass = 0; pass < 20; pass += 1) {
    await story.collectWebhooks();
    const webhooks = pendingWebhooks.splice(0);
    for (const webhook of webhooks) {
      await sessions.deliver(webhook.path, webhook.headers, webhook.body);
      story.markTold(webhook);
    }
    const moved = await system.processes().moveDueJobs();
    const runs = await system.queue.drain(400);
    if (webhooks.length === 0 && moved === 0 && runs.length === 0) return;
  }
};

/**
 * The collaborators behave and no request is sent. Everything in progress finishes, and then the
 * books agree and nothing is stuck.
 */
export const settle: Command = {
  name: 'settle',
  choose: () => ({}),
  prepare: (story) => ({
    async call() {
      const { system } = story;
      if (hasFaults(story.world)) {
        await system.control('DELETE', '/faults');
        await system.restart();
        story.world.troubled.splice(0);
      }
      await makePayoutPollsDue(story);
      for (const [round, seconds] of rounds.entries()) {
        await system.advance(seconds);
        await doAllWaiting(story);
        await sweepAll(story, round);
        await doAllWaiting(story);
      }
      story.world.now = system.clock.now().getTime();
      await story.look(1000);
      await checkRest(story);
      return nothing;
    },
    judge: (world) => {
      world.prices = world.prices.slice(-1);
    },
  }),
};
