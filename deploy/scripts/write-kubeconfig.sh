#!/bin/sh
# Writes a kubeconfig by which a job on GitHub signs in with its own identity, and prints its path:
#   write-kubeconfig.sh FILE
# CLUSTER_SERVER is the address of the API server, CLUSTER_CA its certificate authority (PEM or the
# base64 of it; nothing where the system trusts it), CLUSTER_AUDIENCE the audience that it accepts.
# None of these is a secret.
set -eu
file=${1:?write-kubeconfig.sh FILE}
here=$(cd "$(dirname "$0")" && pwd)

case ${CLUSTER_SERVER:-} in
  '') echo 'the environment has no variable CLUSTER_SERVER' >&2; exit 1 ;;
  https://*) ;;
  *) echo "CLUSTER_SERVER must be an https address, not '$CLUSTER_SERVER'" >&2; exit 1 ;;
esac
[ -n "${CLUSTER_AUDIENCE:-}" ] ||
  { echo 'the environment has no variable CLUSTER_AUDIENCE' >&2; exit 1; }
# What goes into the file is data, and no more of the file.
case $CLUSTER_SERVER$CLUSTER_AUDIENCE in
  *[!A-Za-z0-9.:/_-]*) echo 'CLUSTER_SERVER and CLUSTER_AUDIENCE have a character too many' >&2; exit 1 ;;
esac
authority=''
case ${CLUSTER_CA:-} in
  '') ;;
  -----BEGIN*) authority=$(printf '%s\n' "$CLUSTER_CA" | base64 | tr -d '\n') ;;
  *) authority=$(printf '%s' "$CLUSTER_CA" | tr -d ' \n') ;;
esac
case $authority in
  *[!A-Za-z0-9+/=]*) echo 'CLUSTER_CA is neither PEM nor base64' >&2; exit 1 ;;
esac

umask 077
{
  cat <<END
apiVersion: v1
kind: Config
current-context: cluster
contexts:
  - name: cluster
    context: { cluster: cluster, user: job }
clusters:
  - name: cluster
    cluster:
      server: $CLUSTER_SERVER
END
  [ -z "$authority" ] || echo "      certificate-authority-data: $authority"
  cat <<END
users:
  - name: job
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        interactiveMode: Never
        command: node
        args: ['$here/cluster-token.mjs', '$CLUSTER_AUDIENCE']
END
} >"$file"
echo "$file"
