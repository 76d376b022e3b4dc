import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { lookUntil } from '../clients/look-until.ts';
import { askAdmin, listRows, pageOf, printOne } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs } from '../io/output.ts';
import {
  leafForm,
  mustFollow,
  NotProven,
  proofFile,
  readSigned,
  rebuild,
  verifyLeaf,
  type ProofFile,
  type Statement,
} from './merkle-sum.ts';

/** A run that publishes a statement of proof of gold. */
export const proofRun = z.looseObject({
  id: z.string(),
  day: z.string(),
  trigger: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  sequence: z.int().nullable(),
  requestedAt: z.string(),
});
type ProofRun = z.infer<typeof proofRun>;

/** A page of runs. */
export const proofRunPage = pageOf(proofRun);

/** The verdict on a proof or an export. */
export const proofVerdict = z.object({
  proven: z.literal(true),
  sequence: z.int(),
  day: z.string(),
  moment: z.string(),
  accounts: z.int(),
  liabilities: z.string(),
  confirmed: z.string(),
  keys: z.array(z.string()),
  checked: z.enum(['STATEMENT', 'LEAF', 'TREE']),
});

const columns = {
  run: ({ id }: ProofRun) => id,
  day: ({ day }: ProofRun) => day,
  trigger: ({ trigger }: ProofRun) => trigger,
  status: ({ status }: ProofRun) => status,
  statement: ({ sequence }: ProofRun) => (sequence === null ? '-' : String(sequence)),
  reason: ({ reason }: ProofRun) => reason ?? '-',
};

/** Prints the runs that publish statements, newest first. */
export const listProofs = (deps: CliDeps, query: Paging, command: Command): Promise<void> =>
  listRows(deps, command, proofRunPage, {
    send: (client) => client.get('/v1/proof-of-gold/runs', { query }),
    columns,
    none: 'No statement was made yet.',
  });

const isOver = ({ status }: ProofRun): boolean => status !== 'QUEUED' && status !== 'RUNNING';

export interface PublishOptions {
  /** Seconds to wait for the statement. */
  readonly wait: number;
}

/**
 * Starts the publication of a statement and waits for it.
 * @throws CliError findings if nothing was signed, timedOut if it is not published in time
 */
export const publishProof = async (
  deps: CliDeps,
  { wait }: PublishOptions,
  command: Command,
): Promise<void> => {
  const requested = await askAdmin(deps, command, proofRun, (client) =>
    client.post('/v1/proof-of-gold/runs'),
  );
  const path = { id: requested.id };
  const look = () =>
    askAdmin(deps, command, proofRun, (client) =>
      client.get('/v1/proof-of-gold/runs/{id}', { path }),
    );
  const untilMs = deps.now().getTime() + wait * 1000;
  const run =
    isOver(requested) || wait === 0 ? requested : await lookUntil(deps, { look, isOver, untilMs });
  const pairs = Object.entries(columns).map(([name, show]) => [name, show(run)] as const);
  printOne(deps, command, run, pairs);
  if (run.status === 'PUBLISHED') return;
  if (!isOver(run))
    throw new CliError('the statement has not been published yet', exitCodes.timedOut);
  throw new CliError(
    `nothing was signed: ${run.reason ?? run.status}`,
    exitCodes.findings,
    '"goldctl help runbook proof-of-gold" says what to do.',
  );
};

const readProof = (path: string): ProofFile => {
  try {
    return proofFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : 'it cannot be read';
    throw new CliError(`${path} is not a proof: ${reason}`, exitCodes.usage);
  }
};

type Checked = z.infer<typeof proofVerdict>['checked'];

const printVerdict = (
  deps: CliDeps,
  command: Command,
  { file, statement, checked }: { file: ProofFile; statement: Statement; checked: Checked },
): void => {
  const { sequence, day, moment, accounts, liabilities, confirmed, provider } = statement;
  const keys = file.signatures.map(({ publicKey }) => publicKey);
  const texts = {
    STATEMENT: 'the signature of the statement',
    LEAF: 'the customer’s leaf, its path to the root, and the signature',
    TREE: `all ${accounts} leaves, the root, the total, and the signature`,
  };
  const text = renderPairs([
    ['proven', texts[checked]],
    ['statement', `${sequence} of ${day}, at ${moment}`],
    ['customers', `${liabilities} g of ${accounts}`],
    ['confirmed', `${confirmed} g by ${provider}`],
    ['signed by', keys.join(', ')],
  ]);
  const facts = { sequence, day, moment, accounts, liabilities, confirmed, keys, checked };
  printResult(deps, globalOptionsOf(command).output, { data: { proven: true, ...facts }, text });
};

/** Converts NotProven to an error with the exit code of findings. */
const orNotProven = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NotProven)) throw error;
    throw new CliError(`not proven: ${error.message}`, exitCodes.findings);
  }
};

export interface VerifyOptions {
  readonly key?: string;
  readonly customer?: string;
  readonly grams?: string;
  readonly previous?: string;
}

/** Verifies a customer's proof or a statement, without any request. */
export const verifyProof = (
  deps: CliDeps,
  path: string,
  { key, customer, grams, previous }: VerifyOptions,
  command: Command,
): Promise<void> =>
  orNotProven(async () => {
    const file = readProof(path);
    const statement = readSigned(file, key);
    if (previous !== undefined) mustFollow(statement, readProof(previous));
    const isLeaf = 'path' in file;
    if (isLeaf) {
      const leaf = leafForm.safeParse(file);
      if (!leaf.success) throw new NotProven('the leaf has another form');
      const { customer: owner, grams: held } = leaf.data;
      if (customer !== undefined && customer !== owner) {
        throw new NotProven('the leaf belongs to another customer');
      }
      if (grams !== undefined && grams !== held) throw new NotProven(`the leaf says ${held} g`);
      verifyLeaf(leaf.data, statement);
    }
    printVerdict(deps, command, { file, statement, checked: isLeaf ? 'LEAF' : 'STATEMENT' });
  });

export interface RebuildOptions {
  /** The file of the statement. */
  readonly statement: string;
  readonly key?: string;
}

/** Rebuilds the tree of a statement from the export of accounting. */
export const rebuildProof = (
  deps: CliDeps,
  path: string,
  { statement: statementPath, key }: RebuildOptions,
  command: Command,
): Promise<void> =>
  orNotProven(async () => {
    const file = readProof(statementPath);
    const statement = readSigned(file, key);
    const input = createReadStream(path, 'utf8');
    await rebuild(createInterface({ input, crlfDelay: Infinity }), statement);
    printVerdict(deps, command, { file, statement, checked: 'TREE' });
  });
