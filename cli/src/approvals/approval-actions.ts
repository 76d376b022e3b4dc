import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { askAdmin, confirmed, listRows, pageOf, printOne } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';

const person = z.object({ email: z.string() });

/** A request for approval. */
export const approvalForm = z.looseObject({
  approvalId: z.string(),
  action: z.string(),
  status: z.string(),
  request: z.string(),
  target: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  requestedBy: person,
  requestedAt: z.string(),
  expiresAt: z.string(),
  decidedBy: person.nullable(),
  reason: z.string().nullable(),
});
type Approval = z.infer<typeof approvalForm>;

/** A page of requests for approval. */
export const approvalPage = pageOf(approvalForm);

const columns = {
  approval: ({ approvalId }: Approval) => approvalId,
  action: ({ action }: Approval) => action,
  target: ({ target }: Approval) => target,
  status: ({ status }: Approval) => status,
  'asked by': ({ requestedBy }: Approval) => requestedBy.email,
  asked: ({ requestedAt }: Approval) => requestedAt,
  expires: ({ expiresAt }: Approval) => expiresAt,
};

const print = (deps: CliDeps, command: Command, approval: Approval): void =>
  printOne(deps, command, approval, [
    ...Object.entries(columns).map(([name, show]) => [name, show(approval)] as const),
    ['request', approval.request],
    ['before', JSON.stringify(approval.before)],
    ['after', JSON.stringify(approval.after)],
    ['decided by', approval.decidedBy?.email ?? '-'],
    ['reason', approval.reason ?? '-'],
  ]);

/** Prints the pending requests, or all requests. */
export const listApprovals = async (
  deps: CliDeps,
  { all, page, limit }: Paging & { readonly all?: boolean },
  command: Command,
): Promise<void> => {
  const query = { page, limit, ...(all !== true && { status: 'PENDING' as const }) };
  await listRows(deps, command, approvalPage, {
    send: (client) => client.get('/v1/approvals', { query }),
    columns,
    none: 'Nothing waits for a second operator.',
  });
};

/** Shows a request and, once confirmed, approves it. */
export const approveRequest = async (
  deps: CliDeps,
  id: string,
  { yes }: { readonly yes?: boolean },
  command: Command,
): Promise<void> => {
  const path = { id };
  const request = await askAdmin(deps, command, approvalForm, (client) =>
    client.get('/v1/approvals/{id}', { path }),
  );
  const change = `${JSON.stringify(request.before)} to ${JSON.stringify(request.after)}`;
  const { action, target, requestedBy } = request;
  await confirmed(
    deps,
    `Approve ${action} of ${target}, ${change}, as ${requestedBy.email} asked?`,
    yes,
  );
  const approved = await askAdmin(deps, command, approvalForm, (client) =>
    client.post('/v1/approvals/{id}/approve', { path }),
  );
  print(deps, command, approved);
};

/** Rejects another operator's request. */
export const rejectRequest = async (
  deps: CliDeps,
  id: string,
  { reason }: { readonly reason: string },
  command: Command,
): Promise<void> => {
  const rejected = await askAdmin(deps, command, approvalForm, (client) =>
    client.post('/v1/approvals/{id}/reject', { path: { id }, body: { reason } }),
  );
  print(deps, command, rejected);
};

/** Withdraws the operator's own request. */
export const withdrawRequest = async (
  deps: CliDeps,
  id: string,
  command: Command,
): Promise<void> => {
  const withdrawn = await askAdmin(deps, command, approvalForm, (client) =>
    client.post('/v1/approvals/{id}/withdraw', { path: { id } }),
  );
  print(deps, command, withdrawn);
};
