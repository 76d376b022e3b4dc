/**
 * A credential plugin of kubeconfigs, for jobs on GitHub. It requests a token from GitHub that
 * names the job's repository, workflow and environment, and passes it to the cluster. Nothing is
 * stored. A token lasts minutes, and kubectl, helm and Pulumi request a new token when theirs has
 * expired.
 *
 * node cluster-token.mjs AUDIENCE
 */
const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } =
  process.env;
const [, , audience] = process.argv;

/**
 * The last seconds of a token's life, in which it is not used, so that a request with it still
 * arrives in time.
 */
const spareSeconds = 30;

const fetchToken = async () => {
  if (!url || !requestToken) throw new Error('the job has no right "id-token: write"');
  const address = new URL(url);
  address.searchParams.set('audience', audience);
  const answer = await fetch(address, {
    headers: { authorization: `bearer ${requestToken}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`GitHub answered ${answer.status}`);
  const { value } = await answer.json();
  if (typeof value !== 'string') throw new Error('GitHub sent no token');
  return value;
};

try {
  if (!audience) throw new Error('cluster-token.mjs AUDIENCE');
  const token = await fetchToken();
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const expirationTimestamp = new Date((exp - spareSeconds) * 1000).toISOString();
  process.stdout.write(
    `${JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token, expirationTimestamp },
    })}\n`,
  );
} catch (error) {
  process.stderr.write(`no token for the cluster: ${error.message}\n`);
  process.exitCode = 1;
}
