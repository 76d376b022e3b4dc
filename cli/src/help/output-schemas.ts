import { z } from 'zod';
import { account, accountList } from '../accounts/account-actions.ts';
import { approvalForm, approvalPage } from '../approvals/approval-actions.ts';
import { auditReport, link } from '../audit/audit-actions.ts';
import { checkOutput } from '../checks/check-action.ts';
import { contextsOutput, defaultOutput } from '../contexts/context-actions.ts';
import { customerDetail, customerForm, customerPage } from '../customers/customer-actions.ts';
import { deploymentOutput, runsOutput } from '../deploys/deploy.types.ts';
import { gateOutput, gatesOutput } from '../gates/gate-actions.ts';
import { apiVersion } from '../io/output.ts';
import {
  auditEntry,
  auditRow,
  codeAddresses,
  databaseRules,
  databaseStatus,
  keyringStatus,
  keyUses,
  migrationStatus,
  overdueDebits,
  ticks,
} from '../look-ups/look-up-forms.ts';
import { configOutput } from '../configuration/explain-config.ts';
import { resolvedOutput } from '../migrations/migration-actions.ts';
import { bundleOutput } from '../support-bundle/write-bundle.ts';
import { jobForm, jobPage } from '../jobs/job-actions.ts';
import { kycForm, kycPage } from '../kyc/kyc-actions.ts';
import { orderPage } from '../orders/list-orders.ts';
import { orderAnswer } from '../orders/order.ts';
import { timelineAnswer } from '../orders/show-timeline.ts';
import { payoutDetail, payoutForm, payoutPage } from '../payouts/payout-actions.ts';
import { proofRun, proofRunPage, proofVerdict } from '../proofs/proof-actions.ts';
import { evidenceForm } from '../readiness/evidence-actions.ts';
import { readinessForm } from '../readiness/show-readiness.ts';
import { reportOutput } from '../reconciliation/report.ts';
import { ticketForm, ticketPage } from '../tickets/ticket-actions.ts';
import { reviewPage } from '../reviews/list-reviews.ts';
import { enrolledOutput } from '../sessions/enrol-factor.ts';
import { sessionOutput, signedOutOutput } from '../sessions/session-actions.ts';
import { webhookForm, webhookPage } from '../webhooks/webhook-actions.ts';

const accountCommands = (name: string) => ({
  [`${name} list`]: accountList,
  ...Object.fromEntries(
    ['create', 'set-role', 'activate', 'deactivate', 'reset-password', 'disable-second-factor'].map(
      (change) => [`${name} ${change}`, account],
    ),
  ),
});

/** The schema of each command's JSON, by the command's whole name. */
const forms: Readonly<Record<string, z.ZodObject>> = {
  check: checkOutput,
  reconcile: reportOutput,
  'proof list': proofRunPage,
  'proof publish': proofRun,
  'proof verify': proofVerdict,
  'proof rebuild': proofVerdict,
  'order list': orderPage,
  'order show': orderAnswer,
  'order timeline': timelineAnswer,
  'order resolve': orderAnswer,
  'payout list': payoutPage,
  'payout show': payoutDetail,
  'payout approve': payoutForm,
  'payout retry': payoutForm,
  'approval list': approvalPage,
  'approval approve': approvalForm,
  'approval reject': approvalForm,
  'approval withdraw': approvalForm,
  'customer find': customerPage,
  'customer show': customerDetail,
  'customer block': customerForm,
  'customer unblock': customerForm,
  'kyc list': kycPage,
  'kyc approve': kycForm,
  'kyc reject': kycForm,
  'ticket list': ticketPage,
  'ticket show': ticketForm,
  'ticket answer': ticketForm,
  'review list': reviewPage,
  'jobs list': jobPage,
  'jobs retry': jobForm,
  'jobs discard': jobForm,
  'webhooks list': webhookPage,
  'webhooks replay': webhookForm,
  readiness: readinessForm,
  'evidence record': evidenceForm,
  'evidence withdraw': evidenceForm,
  'gates show': gatesOutput,
  'gates open': gateOutput,
  'gates close': gateOutput,
  'deploy runs': runsOutput,
  'deploy trigger': deploymentOutput,
  ...accountCommands('admin'),
  ...accountCommands('portal-user'),
  'audit head': link,
  'audit verify': auditReport,
  'audit entry': auditEntry,
  'audit row': auditRow,
  'debit list': overdueDebits,
  'price ticks': ticks,
  'codes addresses': codeAddresses,
  'keys status': keyUses,
  'keys keyring': keyringStatus,
  'keys rotate': keyringStatus,
  'database status': databaseStatus,
  'database rules': databaseRules,
  'migrate status': migrationStatus,
  'migrate resolve': resolvedOutput,
  'config explain': configOutput,
  'support-bundle': bundleOutput,
  login: sessionOutput,
  'second-factor enrol': enrolledOutput,
  whoami: sessionOutput,
  logout: signedOutOutput,
  'context list': contextsOutput,
  'context use': defaultOutput,
  'context forget': defaultOutput,
};

/** Returns the JSON Schema of a command's JSON, or undefined if the command prints only text. */
export const outputSchema = (command: string) => {
  const form = forms[command];
  if (form === undefined) return undefined;
  // A masked value has the type of the value, so the schema of the input is used.
  return z.toJSONSchema(form.extend({ apiVersion: z.literal(apiVersion) }), { io: 'input' });
};
