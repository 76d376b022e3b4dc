/**
 * A credential plugin of kubeconfigs, for jobs on GitHub: asks GitHub for a token that says which
 * repository, workflow and environment the job is of, and hands it to the cluster. Nothing is stored,
 * and a token lasts minutes: kubectl, helm and Pulumi ask again when theirs is over.
 *
 *   node cluster-token.mjs AUDIENCE
 */
const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: right } = process.env;
const [, , audience] = process.argv;

/** A token is not used in its last seconds: a request that begins with it has to arrive. */
const spareSeconds = 30;

const fetchToken = async () => {
  if (!url || !right) throw new Error('the job has no right "id-token: write"');
  const address = new URL(url);
  address.searchParams.set('audience', audience);
  const answer = await fetch(address, {
    headers: { authorization: `bearer ${right}` },
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
