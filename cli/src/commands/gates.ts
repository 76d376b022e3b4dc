import { Argument, Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import type { TurnOptions } from '../gates/gate-actions.ts';
import { gates } from '../gates/gates.ts';
import { parseDuration } from '../io/parse-duration.ts';

const load = () => import('../gates/gate-actions.ts');

const gateArgument = (): Argument =>
  new Argument('<gate>', 'the gate').choices(gates.map(({ name }) => name));

const help = `
A local stack keeps its gates as files, a release in the ConfigMap that its pods mount. The
processes read them at every check, so nothing is restarted. open and close wait until every
replica says that it reads the new value; in a cluster they wake the nodes, which take up to two
minutes by themselves. Exit code 124 when a replica has not said so in time: it is named, and the
setting stays written.

Who turned a gate and why is kept in the ConfigMap's annotation, an event and an audit row.

Examples:
  $ goldctl gates show
  $ goldctl --context prod --namespace digital-gold gates close sell --reason "wrong price"
  $ goldctl --context prod --namespace digital-gold gates open sell --yes --reason "price is right"`;

/** Adds the options that `open` and `close` share. */
const turning = (command: Command): Command =>
  command
    .addArgument(gateArgument())
    .option('--reason <text>', 'why; prompted for on a terminal')
    .option(
      '--timeout <duration>',
      'how long to wait for the replicas (default: 3m)',
      parseDuration,
    )
    .option('--no-wait', 'do not wait until every replica applies the change');

/** Creates `goldctl gates`, which shows, opens and closes the gates. */
export const createGatesCommand = (deps: CliDeps): Command => {
  const command = new Command('gates').addHelpText('after', help);
  command
    .command('show')
    .description('show the state of each gate')
    .action(async (_options: unknown, self: Command) => (await load()).showGates(deps, self));
  turning(command.command('open'))
    .description('open a gate; asks for confirmation unless --yes is given')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (name: string, own: TurnOptions, self: Command) =>
      (await load()).turnGate(deps, self, name, { to: 'open', own }),
    );
  turning(command.command('close'))
    .description('close a gate, without confirmation')
    .action(async (name: string, own: TurnOptions, self: Command) =>
      (await load()).turnGate(deps, self, name, { to: 'closed', own }),
    );
  return command;
};
