import { readFileSync, statSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { auditEntry } from '../look-ups/look-up-forms.ts';
import type { Check, Finding } from './check.types.ts';
import type { Installation } from './installation.ts';

const hourMs = 60 * 60_000;
/** The maximum age of a note in hours. A note is made once a day, and may be late by two hours. */
const maxAgeHours = 26;

const head = /^(?<number>[1-9]\d{0,17}):(?<hash>[\da-f]{64})$/u;

interface Noted {
  readonly number: string;
  readonly hash: string;
  readonly hours: number;
}

/** Reads the newest note, which is the last line of the file, and its age from the file's time. */
const readNote = (path: string, now: Date): Noted | Finding => {
  try {
    const last = readFileSync(path, 'utf8').trim().split('\n').at(-1)?.trim() ?? '';
    const { number, hash } = head.exec(last)?.groups ?? {};
    if (number === undefined || hash === undefined) {
      return { status: 'warning', detail: `The last line of ${path} is not a valid head.` };
    }
    const hours = Math.floor((now.getTime() - statSync(path).mtimeMs) / hourMs);
    return { number, hash, hours };
  } catch {
    return { status: 'warning', detail: `${path} can't be read.` };
  }
};

const isNote = (read: Noted | Finding): read is Noted => 'hash' in read;

const judgeAge = ({ number, hours }: Noted): Finding => ({
  status: hours > maxAgeHours ? 'warning' : 'ok',
  detail: `Entry ${number} was noted ${hours} h ago.`,
});

/** Compares a noted entry with the log. The service never changes or deletes an entry. */
const compare = async (installation: Installation, noted: Noted): Promise<Finding> => {
  const { deps, context } = installation;
  try {
    const args = ['audit', 'entry', '--number', noted.number];
    const entry = await runBackendCommand(deps, context, { args, answer: auditEntry });
    if (entry.hash === noted.hash) return judgeAge(noted);
    return {
      status: 'failed',
      detail: `Entry ${noted.number} has a different hash than the one that was noted.`,
    };
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError)) throw error;
    if (!error.message.endsWith('(NOT_FOUND)')) return judgeAge(noted);
    return {
      status: 'failed',
      detail: `Entry ${noted.number}, which was noted, no longer exists.`,
    };
  }
};

/** Checks the newest note of the audit chain's head, which is kept outside the database. */
export const auditHeadCheck: Check = {
  id: 'audit-head-noted',
  category: 'operations',
  title: 'the head of the audit chain was noted recently',
  hint: 'Note it: goldctl audit head >> FILE. "goldctl help runbook audit-chain" for one that differs.',
  run: async (installation) => {
    const path = installation.deps.env['GOLDCTL_AUDIT_HEADS'] ?? '';
    if (path === '') {
      return [
        { status: 'not-run', detail: 'GOLDCTL_AUDIT_HEADS does not name a file of noted heads.' },
      ];
    }
    const noted = readNote(path, installation.deps.now());
    return [isNote(noted) ? await compare(installation, noted) : noted];
  },
};
