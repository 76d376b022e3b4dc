#!/bin/sh
# Brings the service up on a new, empty cluster with the data of a backup, its gates closed:
#   recover.sh STACK [BACKUP]
# BACKUP is a dump of the database in pg_dump's custom format. It is left out where the database's own
# tools have restored to a moment already. The stack's file (STACK_FILE, as in deploy.sh) names the
# new cluster and the new database. Beside it are needed:
#   PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD
#                         the new database as this machine reaches it, as the role that owns it
#   GOLDCTL               goldctl on the new installation: goldctl --context NEW --namespace digital-gold
#   GOLDCTL_EMAIL, GOLDCTL_PASSWORD_FILE or GOLDCTL_TOKEN, as goldctl takes them
# It may be run again: what is restored already is left alone. The runbook is disaster-recovery.md.
set -eu

stack=${1:-} backup=${2:-}
[ -n "$stack" ] || { echo 'recover.sh STACK [BACKUP]' >&2; exit 2; }
[ -z "$backup" ] || [ -f "$backup" ] || { echo "there is no backup $backup" >&2; exit 2; }
[ -z "$backup" ] || backup=$(realpath "$backup")
cd "$(dirname "$0")/.."
if [ -z "${PGHOST:-}" ] || [ -z "${PGDATABASE:-}" ] || [ -z "${PGUSER:-}" ]; then
  echo 'PGHOST, PGDATABASE and PGUSER must name the new, empty database' >&2
  exit 2
fi
goldctl=${GOLDCTL:-}
[ -n "$goldctl" ] || { echo 'GOLDCTL is not set: how goldctl is called on the new cluster' >&2; exit 2; }
file=${STACK_FILE:-$PWD/Pulumi.$stack.yaml}
[ -f "$file" ] || { echo "there is no stack $stack: no $file" >&2; exit 2; }
for program in pulumi kubectl helm psql pg_restore; do
  command -v "$program" >/dev/null 2>&1 || { echo "$program is not on the PATH" >&2; exit 1; }
done

begun=$(date +%s)
step() { printf '%4s s  %s\n' "$(($(date +%s) - begun))" "$1"; }

# A gate that opens by itself would sell before anybody has compared the books.
for gate in DIGITAL_GOLD_PAYMENT_ENABLED DIGITAL_SELL_ENABLED ACCOUNTING_AUTO_POSTING_ENABLED; do
  value=$(pulumi config get --path "digital-gold:settings.$gate" --stack "$stack" --config-file "$file" 2>/dev/null || true)
  [ "$value" != true ] || { echo "digital-gold:settings.$gate is true: a recovery begins with closed gates" >&2; exit 2; }
done

ask() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --command "$1"; }
[ -z "$backup" ] || pg_restore --list "$backup" >/dev/null || { echo "$backup is no dump in the custom format" >&2; exit 1; }
[ "$(ask "SELECT count(*) FROM pg_roles WHERE rolname = 'dgs_app'")" = 1 ] ||
  { echo 'the new server has no role dgs_app: roles are not part of a dump' >&2; exit 1; }
tables=$(ask "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
if [ "$tables" = 0 ]; then
  [ -n "$backup" ] || { echo 'the new database is empty: name a backup' >&2; exit 2; }
  # All or nothing, so that a restore that was cut off leaves the database empty.
  pg_restore --dbname "$PGDATABASE" --single-transaction --exit-on-error --no-owner "$backup"
  step 'the database is restored'
else
  [ "$(ask "SELECT count(*) FROM pg_tables WHERE tablename = '_prisma_migrations'")" = 1 ] ||
    { echo 'the new database has tables, and they are not those of the service' >&2; exit 1; }
  step 'the database has its tables already'
fi

STACK_FILE=$file scripts/deploy.sh up "$stack"
step 'the service is up, its gates closed'

# Each ends with another code than 0 where something is wrong.
$goldctl migrate status
$goldctl database rules
$goldctl audit verify
step 'the database keeps its rules'

# The worker asks the collaborators first about everything that was undecided at the backup's moment.
rounds=${RECOVER_ROUNDS:-20}
until $goldctl reconcile --fresh; do
  rounds=$((rounds - 1))
  [ "$rounds" -gt 0 ] || { echo 'reconciliation still has findings: go by reconciliation.md' >&2; exit 3; }
  sleep 15
done
step 'reconciliation is clean'
echo "The gates are closed. Open them when disaster-recovery.md says so."
