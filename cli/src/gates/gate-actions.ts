import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext, type Context } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderTable } from '../io/output.ts';
import { awaitReplicas, type Proof } from './await-replicas.ts';
import { openGateSettings, type GateChange, type GateSettings } from './gate-settings.ts';
import { gates, stateOf, type Gate, type GateState } from './gates.ts';
import { reasonOf } from './replicas.ts';

const gateState = z.object({
  gate: z.string(),
  setting: z.string(),
  isOpen: z.boolean(),
  value: z.string().nullable(),
});

/** A gate after its change, as it is printed. */
export const gateOutput = gateState.extend({
  by: z.string(),
  reason: z.string(),
  /** The time until every replica applied it, or null without a wait. */
  seconds: z.number().nullable(),
  replicas: z.array(z.object({ name: z.string(), seconds: z.number() })),
});

/** All gates, as they are printed. */
export const gatesOutput = z.object({ place: z.string(), items: z.array(gateState) });

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
  const gate = gates.find((known) => known.name === name);
  if (gate === undefined) throw new CliError(`there is no gate ${name}`, exitCodes.usage);
  return gate;
};

const openSettings = (deps: CliDeps, command: Command) =>
  openGateSettings(deps, resolveContext(deps, globalOptionsOf(command)), settingNames);

export interface TurnOptions {
  readonly yes?: boolean;
  readonly reason?: string;
  readonly wait: boolean;
  readonly timeout?: number;
}

const defaultTimeoutMs = 3 * 60_000;

const notGiven = 'not given';

/**
 * Returns the reason of the command line, or else the reason that is typed at the terminal. A gate can
 * be changed without a reason.
 */
const reasonFor = async (deps: CliDeps, { reason }: TurnOptions): Promise<string> => {
  if (reason !== undefined) return reason.trim() === '' ? notGiven : reason.trim();
  if (!deps.stdin.isTty || !deps.isTty) return notGiven;
  const typed = (await deps.ask('Reason:')).trim();
  return typed === '' ? notGiven : typed;
};

/** Returns the name of this machine's user. The user of a container may have none. */
const ownName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
};

const describeAuthor = (deps: CliDeps, { user }: GateSettings): string => {
  const { env } = deps;
  const person = env['GOLDCTL_EMAIL'] ?? env['USER'] ?? env['LOGNAME'] ?? ownName();
  return user === undefined ? person : `${person} (${user} of the kubeconfig)`;
};

/** Waits for work whose failure does not undo the change of the gate. A failure is printed. */
const attempt = async (deps: CliDeps, warning: string, work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    deps.stderr(`${warning}: ${reasonOf(deps, error)}\n`);
  }
};

/** Records who changed a gate and why, as an audit row of the service. */
const recordChange = async (deps: CliDeps, context: Context, change: GateChange): Promise<void> => {
  const { gate, state, by, reason } = change;
  const args = ['gate', 'record', '--gate', gate, '--state', state, '--by', by];
  await attempt(
    deps,
    'the audit log has no row of it',
    runBackendCommand(deps, context, { args, stdin: reason, answer: z.unknown() }),
  );
};

const totalSeconds = (proofs: readonly Proof[]): number =>
  Math.max(0, ...proofs.map(({ seconds }) => seconds));

/**
 * Changes a gate. It writes the setting with the author and the reason, wakes the pods, and waits until
 * every replica reads the new value. It also records an event of the cluster and an audit row.
 */
export const turnGate = async (
  deps: CliDeps,
  command: Command,
  name: string,
  { to, own }: { readonly to: 'open' | 'closed'; readonly own: TurnOptions },
): Promise<void> => {
  const gate = gateNamed(name);
  const context = resolveContext(deps, globalOptionsOf(command));
  const settings = await openGateSettings(deps, context, settingNames);
  if (to === 'open' && own.yes !== true) {
    const agreed = await deps.confirm(`Open ${name} in ${settings.place}?`);
    if (!agreed) throw new CliError('nothing was changed', exitCodes.failed);
  }
  const { setting } = gate;
  const change: GateChange = {
    gate: name,
    setting,
    value: gate[to],
    state: to,
    by: describeAuthor(deps, settings),
    reason: await reasonFor(deps, own),
    at: deps.now(),
  };
  await settings.write(change);
  deps.stderr(`${settings.place}\n`);
  const woken = new Set<string>();
  const waking = settings.hurry(change.at).then((names) => names.map((pod) => woken.add(pod)));
  await attempt(deps, 'the pods were not woken', waking);
  const records = Promise.all([
    attempt(deps, 'the cluster has no event of it', settings.announce(change)),
    recordChange(deps, context, change),
  ]);
  try {
    const timeoutMs = own.timeout ?? defaultTimeoutMs;
    const wanted = { setting, value: change.value, timeoutMs, woken };
    const proofs = own.wait ? await awaitReplicas(deps, settings, wanted) : [];
    const state = stateOf(gate, (await settings.read())[setting]);
    const seconds = own.wait ? totalSeconds(proofs) : null;
    const data = { ...state, by: change.by, reason: change.reason, seconds, replicas: proofs };
    const { output } = globalOptionsOf(command);
    printResult(deps, output, { data, text: render([state]) });
  } finally {
    await records;
  }
};

/** Prints the state of each gate. */
export const showGates = async (deps: CliDeps, command: Command): Promise<void> => {
  const settings = await openSettings(deps, command);
  const values = await settings.read();
  const items = gates.map((gate) => stateOf(gate, values[gate.setting]));
  const { output } = globalOptionsOf(command);
  printResult(deps, output, { data: { place: settings.place, items }, text: render(items) });
};
