import { Argument, Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { resolveContext } from '../contexts/context.ts';
import { gates, openGateSettings, stateOf, type Gate, type GateState } from '../gates/gates.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderTable } from '../io/output.ts';

const settingNames = gates.map(({ setting }) => setting);

const render = (states: readonly GateState[]): string =>
  renderTable(
    ['gate', 'state', 'setting', 'value', 'open means'],
    states.map(({ gate, isOpen, setting, value }) => [
      gate,
      isOpen ? 'OPEN' : 'CLOSED',
      setting,
      value ?? '(missing)',
      gates.find(({ name }) => name === gate)?.about ?? '',
    ]),
  );

const gateNamed = (name: string): Gate => {
  const gate = gates.find((one) => one.name === name);
  if (gate === undefined) throw new CliError(`there is no gate ${name}`, exitCodes.usage);
  return gate;
};

const openSettings = (deps: CliDeps, command: Command) =>
  openGateSettings(deps, resolveContext(deps, globalOptionsOf(command)), settingNames);

/** Writes a gate's setting and prints its new state. */
const turn = async (
  deps: CliDeps,
  command: Command,
  gate: Gate,
  to: 'open' | 'closed',
  mayTurn: (place: string) => Promise<boolean>,
): Promise<void> => {
  const settings = await openSettings(deps, command);
  if (!(await mayTurn(settings.place))) {
    throw new CliError('nothing was changed', exitCodes.failed);
  }
  await settings.write(gate.setting, gate[to]);
  const state = stateOf(gate, (await settings.read())[gate.setting]);
  deps.stderr(`${settings.place}\n`);
  const { output } = globalOptionsOf(command);
  printResult(deps, output, { data: state, text: render([state]) });
};

const gateArgument = (): Argument =>
  new Argument('<gate>', 'the gate').choices(gates.map(({ name }) => name));

const help = `
A local stack keeps its gates as files, a release in its settings ConfigMap. The processes read
them at every check, so nothing is restarted; in a cluster a change takes up to two minutes to
reach the pods.

Examples:
  $ goldctl gates show
  $ goldctl --context prod --namespace digital-gold gates close sell
  $ goldctl --context prod --namespace digital-gold gates open sell --yes`;

/** `goldctl gates`: shows and sets the switches of what customers and staff may do. */
export const createGatesCommand = (deps: CliDeps): Command => {
  const command = new Command('gates')
    .description('show, open and close the gates: selling, payments, accounting')
    .addHelpText('after', help);
  command
    .command('show')
    .description('show the state of each gate')
    .action(async (_options: unknown, self: Command) => {
      const settings = await openSettings(deps, self);
      const values = await settings.read();
      const items = gates.map((gate) => stateOf(gate, values[gate.setting]));
      const { output } = globalOptionsOf(self);
      printResult(deps, output, { data: { place: settings.place, items }, text: render(items) });
    });
  command
    .command('open')
    .description('open a gate; asks for confirmation unless --yes is given')
    .addArgument(gateArgument())
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (name: string, { yes = false }: { yes?: boolean }, self: Command) =>
      turn(deps, self, gateNamed(name), 'open', async (place) =>
        yes ? true : deps.confirm(`Open ${name} in ${place}?`),
      ),
    );
  command
    .command('close')
    .description('close a gate immediately, without confirmation')
    .addArgument(gateArgument())
    .action(async (name: string, _options: unknown, self: Command) =>
      turn(deps, self, gateNamed(name), 'closed', async () => true),
    );
  return command;
};
