import { commandOf, commands } from './commands/index.ts';
import type { Decisions } from './seeded-random.ts';
import { Refuted, type Step, type Story } from './story.ts';

/** Steps after which a collaborator may have sent something by itself. */
const quiet = new Set(['advance', 'trespass', 'read-portfolio', 'move-price', 'set-limits']);

/** Chooses the next step of a story. */
export const chooseStep = (story: Story, decisions: Decisions): Step => {
  const people = story.world.customers.length;
  if (people < 3) return ['sign-up', { c: people, approve: true }];
  for (;;) {
    const command = decisions.weighted(commands);
    const given = command?.choose(story, decisions);
    if (command !== undefined && given !== undefined) return [command.name, given];
  }
};

/** Adds payments that a mandate made: nobody played them. */
const addDebits = async (story: Story): Promise<void> => {
  if (!story.world.plans.some(({ hasMandate }) => hasMandate)) return;
  const { body } = await story.system.control('GET', '/payments?limit=1000');
  const known = new Set(story.world.buys.flatMap(({ payments }) => payments.map(({ id }) => id)));
  for (const item of body.items) {
    if (known.has(item.gateway_payment_id)) continue;
    const buy = story.world.buys.find(({ gatewayOrderIds }) =>
      gatewayOrderIds.includes(item.gateway_order_id),
    );
    if (buy === undefined) continue;
    buy.payments.push({
      id: item.gateway_payment_id,
      gatewayOrderId: item.gateway_order_id,
      signature: item.signature,
      outcome: item.status === 'captured' ? 'captured' : 'failed',
      amountPaise: item.amount_paise,
      currency: item.currency,
      playedAt: story.world.now,
      late: false,
      reversedPaise: 0,
      reversalTold: false,
    });
  }
};

/** Plays one step and holds what it came to. False where it does not fit the story any more. */
export const playStep = async (story: Story, [name, given]: Step): Promise<boolean> => {
  story.world.now = story.system.clock.now().getTime();
  const act = commandOf(name).prepare(story, given);
  if (act === undefined) return false;
  const answer = await act.call();
  act.judge(story.world, answer);
  story.nextKey += 1;
  story.steps += 1;
  if (!quiet.has(name)) await story.collectMail();
  if (name.startsWith('run-') || name === 'drain' || name === 'together' || name === 'settle') {
    await addDebits(story);
  }
  await story.look();
  return true;
};

/** The message of a step that failed. Any that is not the model's is an error of the service. */
export const checkOf = (error: unknown): string =>
  error instanceof Refuted ? error.check : `error: ${String(error).split('\n')[0]}`;
