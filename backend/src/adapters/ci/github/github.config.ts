import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, secret } from '../../../platform/config/kinds.ts';
import { githubOwner, githubRepositories } from './github-names.ts';

export const githubVariables = defineVariables({
  GITHUB_API_URL: {
    schema: httpUrl().default('https://api.github.com'),
    doc: "address of GitHub's REST API",
  },
  GITHUB_TOKEN: {
    schema: secret().optional(),
    doc: 'token that may read and write Actions; without one nothing is listed or deployed',
    secret: true,
  },
  GITHUB_OWNER: {
    schema: githubOwner().optional(),
    doc: 'account that owns the repositories; needed with a token',
  },
  GITHUB_REPOSITORY: {
    schema: githubRepositories().optional(),
    doc:
      'repository of the deployment workflows; where targets have their own: ' +
      'comma-separated target=repository, one without a target for the rest; needed with a token',
  },
  GITHUB_TIMEOUT_MS: {
    schema: integer(10_000, 100, 60_000),
    doc: 'limit of one call to GitHub in milliseconds',
  },
});

export type GithubConfig = Config<typeof githubVariables>;
