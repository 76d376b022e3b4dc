import type { AdminReport, ReportItem } from './admin-report.ts';
import type { Check, CheckStatus, Finding } from './check.types.ts';

const statuses: Readonly<Record<ReportItem['status'], CheckStatus>> = {
  PASS: 'ok',
  FAIL: 'failed',
  UNKNOWN: 'unknown',
};

/** Returns the report's verdict on an item, or undefined if the report has none. */
export const findingOfItem = (report: AdminReport, itemId: string): Finding | undefined => {
  if (report.kind !== 'received') return undefined;
  const item = report.items.find(({ id }) => id === itemId);
  return item === undefined ? undefined : findingOf(item);
};

const findingOf = ({ status, detail, warning }: ReportItem): Finding =>
  status === 'PASS' && warning !== undefined
    ? { status: 'warning', detail: `${detail} ${warning}` }
    : { status: statuses[status], detail };

/** Returns the finding `not-run` with the reason why the report has no verdict. */
const withoutVerdict = ({ kind }: AdminReport): Finding => {
  if (kind === 'received') return { status: 'not-run', detail: 'The report does not include it.' };
  return {
    status: 'not-run',
    detail:
      kind === 'signed-out'
        ? 'Only an operator who is signed in can request it.'
        : 'The admin API did not return its report.',
    hint: 'Sign in with "goldctl login --email <email>", or set GOLDCTL_TOKEN.',
  };
};

/** Runs a check whose verdict is an item of the readiness report. */
const fromReport =
  (itemId: string): Check['run'] =>
  async ({ report }) => {
    const received = await report();
    return [findingOfItem(received, itemId) ?? withoutVerdict(received)];
  };

/** Returns the findings of items that no check of this goldctl has, as of a newer service. */
const unknownItems: Check['run'] = async ({ report }) => {
  const received = await report();
  if (received.kind !== 'received') return [];
  const known = new Set(['database-migrations', ...reportChecks.map(({ id }) => id)]);
  return received.items
    .filter(({ id }) => !known.has(id.replaceAll('_', '-')))
    .map((item) => ({ ...findingOf(item), title: `${item.id}: ${item.title}` }));
};

const evidence =
  '"goldctl evidence record" puts it on file; "goldctl readiness" shows what is there.';
const outsideParty = 'Check its address and keys in the configuration, then the provider itself.';

/** Checks of collaborators and of the business, from the admin API's readiness report. */
export const reportChecks: readonly Check[] = [
  {
    id: 'gold-provider',
    category: 'collaborators',
    title: 'the gold provider answers',
    hint: outsideParty,
    run: fromReport('gold_provider'),
  },
  {
    id: 'payment-gateway',
    category: 'collaborators',
    title: 'a payment gateway is usable',
    hint: outsideParty,
    run: fromReport('payment_gateway'),
  },
  {
    id: 'payout-provider',
    category: 'collaborators',
    title: 'the payout provider answers',
    hint: outsideParty,
    run: fromReport('payout_provider'),
  },
  {
    id: 'price-feed',
    category: 'collaborators',
    title: 'the price feed ticks',
    hint: 'Read the log of the worker; the feed also stops while the gold provider does not answer.',
    run: fromReport('price_feed'),
  },
  {
    id: 'merchant-tax-registration',
    category: 'business',
    title: 'the merchant’s tax registration is on file',
    hint: evidence,
    run: fromReport('merchant_tax_registration'),
  },
  {
    id: 'provider-disclosure',
    category: 'business',
    title: 'the gold provider’s disclosure is on file',
    hint: evidence,
    run: fromReport('provider_disclosure'),
  },
  {
    id: 'legal-entity',
    category: 'business',
    title: 'the legal entity is on file',
    hint: evidence,
    run: fromReport('legal_entity'),
  },
  {
    id: 'legal-policies',
    category: 'business',
    title: 'the policies that customers accept are on file',
    hint: evidence,
    run: fromReport('legal_policies'),
  },
  {
    id: 'first-admin',
    category: 'business',
    title: 'there is an active super admin',
    hint: 'Create one with "goldctl admin create --role SUPER_ADMIN".',
    run: fromReport('first_admin'),
  },
  {
    id: 'production-secrets',
    category: 'business',
    title: 'no published secret is in use',
    hint: 'Replace the secrets that this repository publishes.',
    run: fromReport('production_secrets'),
  },
  {
    id: 'readiness-item',
    category: 'business',
    title: 'another item of the readiness report passes',
    hint: '"goldctl readiness" has the details.',
    run: unknownItems,
  },
];
