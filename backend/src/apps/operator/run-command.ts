import {
  createAdminChanges,
  listAdmins,
  newPasswordSchema,
  type AdminRecord,
} from '../../modules/admins/index.ts';
import {
  createAuditor,
  readChainHead,
  verifyChain,
  type ChainLink,
} from '../../modules/audit/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher, Vault } from '../../platform/crypto/index.ts';
import type { Database } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { OpenKeyring } from '../../runtime/open-keyring.ts';
import { countOutdatedValues, rotateKeyring } from '../../runtime/rotate-keyring.ts';
import { disableSecondFactor } from './disable-second-factor.ts';
import { operatorActor } from './operator-actor.ts';
import type { OperatorCommand } from './parse-command.ts';
import { recordGate } from './record-gate.ts';
import { isLookUp, runLookUp } from './run-look-up.ts';
import { runPortalUserCommand } from './run-portal-user-command.ts';

interface OperatorDeps {
  readonly database: Database;
  /** The database's address, for commands that need a separate connection. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  /**
   * Opens the keyring, for commands that need it.
   * @throws ConfigError
   */
  readonly openVault: () => Promise<Vault>;
  /**
   * The keys behind the vault, for commands that change them.
   * @throws ConfigError if no key service is configured
   */
  readonly openKeys: () => Pick<OpenKeyring, 'add' | 'rewrap'>;
  /** Reads all of standard input. */
  readInput(): Promise<string>;
}

const present = ({ id, email, role, active, createdAt, lastLoginAt }: AdminRecord) => ({
  id,
  email,
  role,
  active,
  createdAt: createdAt.toISOString(),
  lastLoginAt: lastLoginAt?.toISOString() ?? null,
});

/** Reads the password on standard input, without the newline that ends it. @throws AppError */
const readPassword = async (deps: OperatorDeps): Promise<string> => {
  const text = (await deps.readInput()).replace(/\r?\n$/u, '');
  const parsed = newPasswordSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  const message = `The password ${parsed.error.issues[0]?.message ?? 'is not valid'}.`;
  throw new AppError('VALIDATION_FAILED', { message, field: 'password' });
};

const createChanges = ({ database, clock, random, hasher }: OperatorDeps) => {
  const auditor = createAuditor({ clock, random });
  const requestId = random.uuid();
  return createAdminChanges({
    inTransaction: database.inTransaction,
    clock,
    random,
    hasher,
    audit: (db, { action, adminId, before, after }) =>
      auditor.record(db, {
        action,
        actor: operatorActor,
        target: { type: 'admin', id: adminId },
        ...(before !== undefined && { before: { ...before } }),
        after: { ...after },
        requestId,
      }),
  });
};

const presentLink = ({ number, hash }: ChainLink) => ({ number: String(number), hash });

/**
 * Verifies the audit chain. It only reads, and its findings are printed in the document, not as an
 * error.
 */
const verifyAudit = async ({ database: { db } }: OperatorDeps, noted: ChainLink | undefined) => {
  const { head, verified, findings } = await verifyChain(db, noted);
  return {
    ok: findings.length === 0,
    verified: String(verified),
    head: presentLink(head),
    findings: findings.map(({ kind, number, auditId }) => ({
      kind,
      number: number === undefined ? null : String(number),
      auditId: auditId ?? null,
    })),
  };
};

const keyringStatus = async ({ database, openVault }: OperatorDeps) => {
  const vault = await openVault();
  const outdated = await countOutdatedValues({ db: database.db, vault });
  return { keyId: vault.keyId, outdated };
};

/**
 * Makes a single pass over all values. Rows that other transactions had locked wait for the next
 * pass.
 */
const rotate = async (deps: OperatorDeps) => {
  const { db, inTransaction } = deps.database;
  const vault = await deps.openVault();
  const changed = await rotateKeyring({ db, inTransaction, vault }, new AbortController().signal);
  return { ...(await keyringStatus(deps)), changed };
};

/**
 * Runs one command and returns the document to print.
 * @throws AppError if the command is refused
 */
export const runOperatorCommand = async (
  command: OperatorCommand,
  deps: OperatorDeps,
): Promise<unknown> => {
  if (isLookUp(command)) return runLookUp(command, deps);
  const changes = createChanges(deps);
  switch (command.name) {
    case 'admin create': {
      const { email, role } = command;
      return present(await changes.create({ email, role, password: await readPassword(deps) }));
    }
    case 'admin list': {
      const admins = await listAdmins(deps.database.db);
      return { items: admins.map(present) };
    }
    case 'admin set-role':
      return present(await changes.setRole(command.email, command.role));
    case 'admin activate':
      return present(await changes.setActive(command.email, true));
    case 'admin deactivate':
      return present(await changes.setActive(command.email, false));
    case 'admin reset-password':
      return present(await changes.resetPassword(command.email, await readPassword(deps)));
    case 'admin disable-second-factor':
      return present(await disableSecondFactor(command.email, deps));
    case 'portal-user create':
    case 'portal-user list':
    case 'portal-user set-role':
    case 'portal-user activate':
    case 'portal-user deactivate':
    case 'portal-user reset-password':
    case 'portal-user disable-second-factor':
      return runPortalUserCommand(command, { ...deps, readPassword: () => readPassword(deps) });
    case 'keyring status':
      return keyringStatus(deps);
    case 'keyring rotate':
      return rotate(deps);
    case 'keyring add':
      return { keyId: await deps.openKeys().add() };
    case 'keyring rewrap':
      return { rewrapped: await deps.openKeys().rewrap() };
    case 'gate record':
      return recordGate(command, deps);
    case 'audit head':
      return presentLink(await readChainHead(deps.database.db));
    case 'audit verify':
      return verifyAudit(deps, command.head);
    default:
      return command satisfies never;
  }
};
