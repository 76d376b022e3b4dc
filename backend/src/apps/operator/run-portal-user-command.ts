import {
  createPortalUserChanges,
  listPortalUsers,
  type PortalUserRecord,
} from '../../modules/accounting/index.ts';
import { createAuditor } from '../../modules/audit/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher, Vault } from '../../platform/crypto/index.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { disablePortalSecondFactor } from './disable-second-factor.ts';
import type { OperatorCommand } from './parse-command.ts';

type PortalUserCommand = Extract<OperatorCommand, { name: `portal-user ${string}` }>;

interface PortalUserCommandDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  /**
   * Opens the keyring, by which names are sealed in audit rows.
   * @throws ConfigError
   */
  readonly openVault: () => Promise<Vault>;
  /** Reads the new password on standard input. @throws AppError VALIDATION_FAILED */
  readonly readPassword: () => Promise<string>;
  /** Reads all of standard input. */
  readonly readInput: () => Promise<string>;
}

/** A page that is large enough for the whole accounting staff of a house. */
const wholeStaff = { page: 1, limit: 10_000 };

const present = (user: PortalUserRecord) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  active: user.active,
  createdAt: user.createdAt.toISOString(),
  lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
});

/** Runs one command on portal users and returns the document to print. @throws AppError */
export const runPortalUserCommand = async (
  command: PortalUserCommand,
  deps: PortalUserCommandDeps,
): Promise<unknown> => {
  const { database, clock, random, hasher, openVault, readPassword } = deps;
  if (command.name === 'portal-user list') {
    const { rows } = await listPortalUsers(database.db, {}, wholeStaff);
    return { items: rows.toReversed().map(present) };
  }
  const { inTransaction } = database;
  const audit = createAuditor({ clock, random, vault: await openVault() });
  const changes = createPortalUserChanges({ inTransaction, clock, random, hasher, audit });
  // The actor is any person with the database's credentials.
  const actor = { api: 'system', role: 'OPERATOR_COMMAND' } as const;
  const audited = { actor, requestId: random.uuid() };
  const { email } = command;
  switch (command.name) {
    case 'portal-user create': {
      const { role, 'person-name': name } = command;
      const password = await readPassword();
      return present(await changes.create(audited, { email, name, role, password }));
    }
    case 'portal-user set-role':
      return present(await changes.setRole(audited, { email }, command.role));
    case 'portal-user activate':
      return present(await changes.setActive(audited, { email }, true));
    case 'portal-user deactivate':
      return present(await changes.setActive(audited, { email }, false));
    case 'portal-user reset-password':
      return present(await changes.resetPassword(audited, { email }, await readPassword()));
    case 'portal-user disable-second-factor':
      return present(await disablePortalSecondFactor(email, deps));
    default:
      return command satisfies never;
  }
};
