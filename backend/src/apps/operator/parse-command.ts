import { parseArgs } from 'node:util';
import { z } from 'zod';
import { portalRoles } from '../../modules/accounting/index.ts';
import { adminRoles, emailSchema } from '../../modules/admins/index.ts';
import type { ChainLink } from '../../modules/audit/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { plainName } from '../../platform/http/index.ts';

const email = emailSchema;
const role = z.enum(adminRoles);
const portalRole = z.enum(portalRoles);
const personName = plainName(100);
const gate = z.enum(['sell', 'payment', 'accounting-posting', 'accounting-write']);
const gateState = z.enum(['open', 'closed']);

/** Parses a head in the form that `audit head` prints. */
const notedHead = z
  .string()
  .regex(/^(0|[1-9]\d{0,17}):[\da-f]{64}$/u, 'must be NUMBER:HASH, as "audit head" shows it')
  .transform((text): ChainLink => {
    const [number = '', hash = ''] = text.split(':');
    return { number: BigInt(number), hash };
  });

const entryNumber = z
  .string()
  .regex(/^[1-9]\d{0,17}$/u, 'must be the number of an entry')
  .transform(BigInt);

const commandSchema = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('admin create'), email, role }),
  z.strictObject({ name: z.literal('admin list') }),
  z.strictObject({ name: z.literal('admin set-role'), email, role }),
  z.strictObject({ name: z.literal('admin activate'), email }),
  z.strictObject({ name: z.literal('admin deactivate'), email }),
  z.strictObject({ name: z.literal('admin reset-password'), email }),
  z.strictObject({ name: z.literal('admin disable-second-factor'), email }),
  z.strictObject({
    name: z.literal('portal-user create'),
    email,
    role: portalRole,
    'person-name': personName,
  }),
  z.strictObject({ name: z.literal('portal-user list') }),
  z.strictObject({ name: z.literal('portal-user set-role'), email, role: portalRole }),
  z.strictObject({ name: z.literal('portal-user activate'), email }),
  z.strictObject({ name: z.literal('portal-user deactivate'), email }),
  z.strictObject({ name: z.literal('portal-user reset-password'), email }),
  z.strictObject({ name: z.literal('portal-user disable-second-factor'), email }),
  z.strictObject({ name: z.literal('keyring status') }),
  z.strictObject({ name: z.literal('keyring rotate') }),
  z.strictObject({ name: z.literal('keyring add') }),
  z.strictObject({ name: z.literal('keyring rewrap') }),
  z.strictObject({ name: z.literal('gate record'), gate, state: gateState, by: plainName(200) }),
  z.strictObject({ name: z.literal('database status') }),
  z.strictObject({ name: z.literal('database rules') }),
  z.strictObject({ name: z.literal('migrate status') }),
  z.strictObject({ name: z.literal('keys status') }),
  z.strictObject({ name: z.literal('price ticks') }),
  z.strictObject({ name: z.literal('debit list') }),
  z.strictObject({ name: z.literal('codes addresses') }),
  z.strictObject({ name: z.literal('audit head') }),
  z.strictObject({ name: z.literal('audit entry'), number: entryNumber }),
  z.strictObject({ name: z.literal('audit row'), id: z.uuid() }),
  z.strictObject({ name: z.literal('audit verify'), head: notedHead.optional() }),
]);

/** A parsed command line. It never contains passwords, which come on standard input. */
export type OperatorCommand = z.output<typeof commandSchema>;

const usage = [
  'operator admin create --email EMAIL --role ROLE      password on standard input',
  'operator admin list',
  'operator admin set-role --email EMAIL --role ROLE',
  'operator admin activate|deactivate --email EMAIL',
  'operator admin reset-password --email EMAIL          password on standard input',
  'operator admin disable-second-factor --email EMAIL   why, on standard input',
  'operator portal-user create --email EMAIL --role ROLE --person-name NAME',
  'operator portal-user list',
  'operator portal-user set-role --email EMAIL --role ROLE',
  'operator portal-user activate|deactivate|reset-password --email EMAIL',
  'operator portal-user disable-second-factor --email EMAIL   why, on standard input',
  'operator keyring status|rotate                       what needs an old key; move it to the first',
  'operator keyring add                                 a new key of the key service, to seal later',
  'operator keyring rewrap                              by the newest version at the key service',
  'operator gate record --gate GATE --state open|closed --by WHO   why, on standard input',
  'operator database status|rules                       its settings; the rules that rows break',
  'operator migrate status                              migrations that are missing or failed',
  'operator keys status                                 values by the pepper or key they need',
  'operator price ticks                                 the newest ticks of the price feed',
  'operator debit list                                  debits of mandates without an end',
  'operator codes addresses                             where codes were requested from',
  'operator audit entry --number NUMBER                 one entry of the chain, and its row',
  'operator audit row --id ID                           one audit row',
  'operator audit head                                  the last entry of the audit chain, to note',
  'operator audit verify [--head NUMBER:HASH]           compare the audit log with its chain',
].join('\n');

const readArguments = (args: readonly string[]): unknown => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        email: { type: 'string' },
        role: { type: 'string' },
        'person-name': { type: 'string' },
        head: { type: 'string' },
        gate: { type: 'string' },
        state: { type: 'string' },
        by: { type: 'string' },
        number: { type: 'string' },
        id: { type: 'string' },
      },
      allowPositionals: true,
    });
    return { name: positionals.join(' '), ...values };
  } catch {
    return undefined;
  }
};

/**
 * Parses the command line.
 * @throws AppError VALIDATION_FAILED naming the wrong argument, or with the usage
 */
export const parseCommand = (args: readonly string[]): OperatorCommand => {
  const parsed = commandSchema.safeParse(readArguments(args));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  if (field === '' || field === 'name') {
    throw new AppError('VALIDATION_FAILED', { message: `Usage:\n${usage}` });
  }
  throw new AppError('VALIDATION_FAILED', { message: `${field}: ${issue?.message}`, field });
};
