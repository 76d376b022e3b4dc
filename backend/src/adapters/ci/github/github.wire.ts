import { z } from 'zod';
import type { RowRules } from '../../read-rows.ts';
import type { CiRun, DeployTarget } from '../port.ts';

export type { CiRun } from '../port.ts';

/*
 * The parts of GitHub's REST API, version 2022-11-28, that the service and goldctl share:
 * docs.github.com/rest/actions/workflow-runs ("List workflow runs for a workflow") and
 * docs.github.com/rest/actions/workflows ("Create a workflow dispatch event", with
 * `return_run_details` since February 2026). Each has its own client and its own errors.
 */

export const apiVersionHeader = 'x-github-api-version';
export const apiVersion = '2022-11-28';

/** Returns the file of the workflow that deploys a target. */
export const workflowOf = (target: DeployTarget): string => `deploy-${target}.yml`;

/** The digits of an id, from a safe integer, a text, or a number type that keeps all digits. */
const runId = z
  .unknown()
  .transform((id) => (typeof id === 'number' && !Number.isSafeInteger(id) ? '' : String(id)))
  .pipe(z.string().regex(/^\d+$/u));

/** The account of a user. A deleted account is null or has no login. */
const account = z.object({ login: z.string().nullish() }).nullish().catch(undefined);
const optionalText = z.string().nullish().catch(undefined);
const time = z.iso.datetime({ offset: true });

/**
 * An element of `workflow_runs`, with only the fields that are read. All but its id and time may be
 * missing.
 */
export const workflowRun = z.object({
  id: runId,
  name: optionalText,
  /** The workflow's `run-name`, with its values filled in. */
  display_title: optionalText,
  status: optionalText,
  conclusion: optionalText,
  head_branch: optionalText,
  event: optionalText,
  html_url: optionalText,
  created_at: time,
  updated_at: time.nullish().catch(undefined),
  actor: account,
  triggering_actor: account,
});

export type WorkflowRun = z.output<typeof workflowRun>;

/** Returns the name of a workflow's file from a run's `path`, such as `.github/workflows/a.yml@main`. */
const workflowIn = (path: unknown): unknown =>
  typeof path === 'string' ? /([^/@]+)(?:@.*)?$/u.exec(path)?.[1] : undefined;

/** Rules for reading the runs of a target's workflow. */
export const runRows = (target: DeployTarget): RowRules<WorkflowRun> => ({
  subject: { id: workflowOf(target), idOf: ({ path }) => workflowIn(path) },
  schema: workflowRun,
});

/** A page of runs, whose rows are read one by one. */
export const runList = z.object({ workflow_runs: z.array(z.unknown()) });

/** The 200 of a dispatch that requested the run's details. */
export const dispatchedRun = z.object({ workflow_run_id: runId, html_url: optionalText });

/** The error body of every call. */
export const errorAnswer = z.object({ message: z.string() });

/** The end of a workflow's `run-name`, which has the correlation id. */
const correlationForm = /\(([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\)$/u;

const given = <K extends string>(name: K, value: string | null | undefined) =>
  // TypeScript widens a computed name to an index signature, so the one name is asserted.
  (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<
    Record<K, string>
  >;

/** Reads a run of a target's workflow. */
export const toRun = (target: DeployTarget, run: WorkflowRun): CiRun => {
  // `display_title` is newer than `name`, which older servers fill in the same way.
  const title = (run.display_title ?? run.name ?? '') || workflowOf(target);
  const createdAt = new Date(run.created_at);
  return {
    id: run.id,
    target,
    workflow: workflowOf(target),
    title,
    ...given('correlationId', correlationForm.exec(title)?.[1]),
    status: run.status ?? 'unknown',
    ...given('conclusion', run.conclusion),
    ...given('branch', run.head_branch),
    event: run.event ?? 'unknown',
    ...given('actor', run.triggering_actor?.login ?? run.actor?.login),
    createdAt,
    updatedAt: typeof run.updated_at === 'string' ? new Date(run.updated_at) : createdAt,
    url: run.html_url ?? '',
  };
};

/** Returns the body of a dispatch, without the workflow that it starts. */
export const dispatchOf = (branch: string, correlationId: string) => ({
  ref: branch,
  inputs: { correlation_id: correlationId },
  return_run_details: true,
});
