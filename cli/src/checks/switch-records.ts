import type { CliDeps } from '../cli-deps.ts';
import type { Context } from '../contexts/context.ts';
import { openGateSettings } from '../gates/gate-settings.ts';
import { gates, stateOf, type GateState } from '../gates/gates.ts';
import type { CheckRecord } from './check.types.ts';
import { makeRecord, recordOfError } from './make-record.ts';

const meansWhatItSays = ({ isOpen, value, gate }: GateState): boolean =>
  isOpen || value === gates.find(({ name }) => name === gate)?.closed;

const problemOf = ({ setting, value }: GateState): string =>
  value === null ? `${setting} is missing` : `${setting} is "${value}"`;

/**
 * Whether every switch holds a value that means what it says. The service takes any other value
 * for closed, so a misspelt one is not an error of the service but may be one of the operator.
 */
export const switchRecord = async (deps: CliDeps, context: Context): Promise<CheckRecord> => {
  const id = 'switches-readable';
  try {
    const settings = await openGateSettings(
      deps,
      context,
      gates.map(({ setting }) => setting),
    );
    const values = await settings.read();
    const states = gates.map((gate) => stateOf(gate, values[gate.setting]));
    const odd = states.filter((state) => !meansWhatItSays(state));
    if (odd.length > 0) {
      const detail = `${odd.map(problemOf).join(', ')}: taken for closed.`;
      return makeRecord(id, { status: 'warning', detail });
    }
    const shown = states.map(({ gate, isOpen }) => `${gate} ${isOpen ? 'open' : 'closed'}`);
    return makeRecord(id, { status: 'ok', detail: `${shown.join(', ')}.` });
  } catch (error) {
    return recordOfError(id, error);
  }
};
