import { z } from 'zod';
import type { Answer } from '../../core/collaborator.ts';
import type { Run, RunState } from './github-run-store.ts';

/** Returns GitHub's error body. */
export const githubError = (status: number, message: string) => ({
  message,
  documentation_url: 'https://docs.github.com/rest',
  status: String(status),
});

/** Returns GitHub's error response. */
export const refusal = (status: number, message: string): Answer => ({
  status,
  body: githubError(status, message),
});

/** Describes the body of POST dispatches. */
export const dispatchSchema = z.object({
  ref: z.string().min(1),
  inputs: z.record(z.string(), z.string()).default({}),
  return_run_details: z.boolean().default(false),
});

const login = 'deployer';

/** Shows one of `workflow_runs`, with the members that callers commonly read. */
export const runView = (run: Run, state: RunState, origin: string) => ({
  id: run.id,
  name: run.title,
  display_title: run.title,
  path: `.github/workflows/${run.workflow}`,
  head_branch: run.branch,
  head_sha: '0'.repeat(40),
  run_number: 1,
  run_attempt: 1,
  event: 'workflow_dispatch',
  status: state.status,
  conclusion: state.conclusion,
  ...runAddresses(run, origin),
  created_at: run.createdAt,
  updated_at: state.updatedAt,
  run_started_at: run.createdAt,
  actor: { login, type: 'User' },
  triggering_actor: { login, type: 'User' },
});

const runAddresses = ({ id, owner, repo }: Run, origin: string) => ({
  url: `${origin}/github/repos/${owner}/${repo}/actions/runs/${id}`,
  /** The sandbox's page shows it. */
  html_url: `${origin}/#run-${id}`,
});

/** Returns the details of the started run, for a dispatch that requests them. */
export const runDetails = (run: Run, origin: string) => {
  const { url, html_url } = runAddresses(run, origin);
  return { workflow_run_id: run.id, run_url: url, html_url };
};
