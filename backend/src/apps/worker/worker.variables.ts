import { defineVariables } from '../../platform/config/config.ts';
import { directAddress, integer } from '../../platform/config/kinds.ts';
import { signingKeyList } from '../../modules/proof-of-gold/index.ts';
import { servicesVariables } from '../../runtime/process.variables.ts';

export const workerVariables = defineVariables({
  JANITOR_EVERY_MS: {
    schema: integer(60_000, 200, 600_000),
    doc: 'real time between two passes of the sweeps over what was left in between, in milliseconds',
  },
  EXPIRY_EVERY_MS: {
    schema: integer(5000, 200, 600_000),
    doc: 'real time between two passes of the sweeps over what expires, in milliseconds',
  },
  JOBS_DATABASE_URL: {
    schema: directAddress().optional(),
    doc: "the database's own address for the job queue, where DATABASE_URL is a pooler's",
    secret: true,
    store: 'database',
  },
  JOB_CONCURRENCY: { schema: integer(10, 1, 100), doc: 'jobs at a time in this process' },
  RECONCILIATION_QUERIES_PER_SECOND: {
    schema: integer(10, 1, 200),
    doc: 'single questions of a reconciliation run that may start in a second, to one collaborator',
  },
  FIGURES_EVERY_MS: {
    schema: integer(10_000, 200, 600_000),
    doc: 'real time between two readings of the figures of the metrics, by all workers together',
  },
  PROOF_SIGNING_KEYS: {
    schema: signingKeyList(),
    doc: 'Ed25519 keys of proofs of gold, 32 bytes as base64 each, newest first; without, none is made',
    secret: true,
  },
  JOB_STANDSTILL_SECONDS: {
    schema: integer(60, 2, 3600),
    doc: 'not ready when jobs have waited for longer than this and this process did none, in seconds',
  },
});

/** The variables of the worker, in addition to those of every process. */
export const workerProcessVariables = {
  ...servicesVariables,
  ...workerVariables,
};
