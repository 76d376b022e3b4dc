import { createAuditor } from '../../modules/audit/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Database } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { plainText } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { operatorActor } from './operator-actor.ts';
import type { OperatorCommand } from './parse-command.ts';

interface RecordDeps {
  readonly database: Pick<Database, 'inTransaction'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly openVault: () => Promise<Vault>;
  readInput(): Promise<string>;
}

type RecordGate = Extract<OperatorCommand, { name: 'gate record' }>;

const reasonSchema = plainText(500);

/** Reads the reason of a change on standard input. @throws AppError VALIDATION_FAILED */
export const readReason = async (deps: Pick<RecordDeps, 'readInput'>): Promise<string> => {
  const parsed = reasonSchema.safeParse((await deps.readInput()).trim());
  if (parsed.success) return parsed.data;
  const message = `The reason ${parsed.error.issues[0]?.message ?? 'is not valid'}.`;
  throw new AppError('VALIDATION_FAILED', { message, field: 'reason' });
};

/**
 * Writes the audit row of a gate that an operator opened or closed. The gate's switch is a file or
 * a ConfigMap, so its change is not part of the transaction. The reason is free text and is sealed.
 */
export const recordGate = async (
  { gate, state, by }: RecordGate,
  deps: RecordDeps,
): Promise<{ readonly gate: string; readonly state: string; readonly recorded: true }> => {
  const { database, clock, random } = deps;
  const reason = await readReason(deps);
  const auditor = createAuditor({ clock, random, vault: await deps.openVault() });
  await database.inTransaction((tx) =>
    auditor.record(tx, {
      action: 'gate.turn',
      actor: operatorActor,
      target: { type: 'gate', id: gate },
      after: { state, by },
      sealed: { after: { reason } },
      requestId: random.uuid(),
    }),
  );
  return { gate, state, recorded: true };
};
