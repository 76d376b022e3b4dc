import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { askAdmin, confirmed, given, printOne } from '../desk/ask-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import type { EvidenceItem } from './evidence-items.ts';
import { readinessForm } from './show-readiness.ts';

/** The evidence of an item after the change. */
export const evidenceForm = z.looseObject({
  value: z.string(),
  reference: z.string().nullable(),
  verified: z.boolean(),
  expiresOn: z.string().nullable(),
  updatedAt: z.string(),
});
type Evidence = z.infer<typeof evidenceForm>;

const pairsOf = (item: EvidenceItem, evidence: Evidence): (readonly [string, string])[] => [
  ['item', item],
  ['value', evidence.value],
  ['reference', evidence.reference ?? '-'],
  ['verified', evidence.verified ? 'yes' : 'no'],
  ['holds until', evidence.expiresOn ?? 'no end'],
  ['updated', evidence.updatedAt],
];

export interface RecordOptions {
  readonly value: string;
  readonly reference: string;
  readonly expiresOn?: string;
  readonly yes?: boolean;
}

/** Records verified evidence of an item, which replaces earlier evidence. */
export const recordEvidence = async (
  deps: CliDeps,
  item: EvidenceItem,
  { value, reference, expiresOn, yes }: RecordOptions,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Put "${value}" on file as verified evidence of ${item}?`, yes);
  const body = { value, reference, verified: true, ...given({ expiresOn }) };
  const stored = await askAdmin(deps, command, evidenceForm, (client) =>
    client.put('/v1/readiness/evidence/{item}', { path: { item }, body }),
  );
  printOne(deps, command, stored, pairsOf(item, stored));
};

/** Marks an item's evidence as not verified. Its value and reference are kept. */
export const withdrawEvidence = async (
  deps: CliDeps,
  item: EvidenceItem,
  { yes }: { readonly yes?: boolean },
  command: Command,
): Promise<void> => {
  const stored = await withAdmin(deps, globalOptionsOf(command), async ({ api }) => {
    const { items } = await api(readinessForm, (client) => client.get('/v1/readiness'));
    const { blocking, evidence } = items.find(({ id }) => id === item) ?? {};
    if (evidence === undefined) {
      throw new CliError(`there is no evidence of ${item}`, exitCodes.failed);
    }
    const effect = blocking === true ? ' Buying closes.' : '';
    await confirmed(deps, `Withdraw the evidence of ${item}?${effect}`, yes);
    const { value, reference, expiresOn } = evidence;
    const body = { value, reference, verified: false, ...(expiresOn !== null && { expiresOn }) };
    return api(evidenceForm, (client) =>
      client.put('/v1/readiness/evidence/{item}', { path: { item }, body }),
    );
  });
  printOne(deps, command, stored, pairsOf(item, stored));
};
