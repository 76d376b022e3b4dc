import { z } from 'zod';
import { safeInteger, textOrDigits } from '../../../platform/http-client/index.ts';

/*
 * GitHub's REST API, version 2022-11-28: docs.github.com/rest/actions/workflow-runs ("List workflow
 * runs for a workflow") and docs.github.com/rest/actions/workflows ("Create a workflow dispatch
 * event"; `return_run_details` since February 2026).
 */

const account = z.object({ login: z.string() });

/** One of `workflow_runs`; only what is read. */
const workflowRun = z.object({
  id: textOrDigits,
  name: z.string().nullish(),
  /** The workflow's `run-name`, with its values filled in. */
  display_title: z.string(),
  status: z.string().nullable(),
  conclusion: z.string().nullable(),
  head_branch: z.string().nullable(),
  event: z.string(),
  html_url: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  updated_at: z.iso.datetime({ offset: true }),
  actor: account.nullish(),
  triggering_actor: account.nullish(),
});

export type WorkflowRun = z.output<typeof workflowRun>;

export const runList = z.object({ total_count: safeInteger, workflow_runs: z.array(workflowRun) });

/** The 200 of a dispatch that requested the run's details. */
export const dispatchedRun = z.object({ workflow_run_id: textOrDigits, html_url: z.string() });

export const errorAnswer = z.object({ message: z.string() });
