import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { RefusalError, type AdminApi } from '../clients/admin-api.ts';
import { deployment, runList, type DeployCi } from './deploy.types.ts';

/** The exit code and the hint of a refusal, by its code. */
const meanings: ReadonlyMap<string, readonly [ExitCode, string]> = new Map([
  ['RATE_LIMITED', [exitCodes.unreachable, 'Try again in a minute.']],
  ['CI_UNAVAILABLE', [exitCodes.unreachable, 'Nothing was started. Try again in a moment.']],
  [
    'CI_NOT_CONFIGURED',
    [
      exitCodes.failed,
      'Set GITHUB_TOKEN for the admin API, or use --direct with a token of your own.',
    ],
  ],
  [
    'DEPLOY_OUTCOME_UNKNOWN',
    [exitCodes.unreachable, 'Check "goldctl deploy runs" before you trigger it again.'],
  ],
]);

const translateError = (error: unknown): unknown => {
  if (!(error instanceof RefusalError)) return error;
  const meaning = meanings.get(error.code ?? '');
  return meaning === undefined ? error : new CliError(error.message, ...meaning);
};

const withTranslatedErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw translateError(error);
  }
};

/** Creates a client of the CI system through the admin API, which records every deployment. */
export const createAdminCi = (api: AdminApi): DeployCi => ({
  trigger: (target) =>
    withTranslatedErrors(
      api(deployment, (client) => client.post('/v1/devops/deploy', { body: { target } })),
    ),
  runs: (target, count) => {
    const query = { ...(target !== undefined && { target }), per_page: count };
    return withTranslatedErrors(api(runList, (client) => client.get('/v1/devops/runs', { query })));
  },
});
