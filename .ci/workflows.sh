#!/bin/sh
# Checks what runs on GitHub: the workflows' form (actionlint), their dangers (zizmor), and every shell
# script here (shellcheck). Prints one line for each checker that this machine does not have.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'workflows: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# zizmor is a package of Python: installed once, for the version that is pinned.
zizmor_program() {
  folder=.tools/zizmor pinned=.ci/tools/zizmor/requirements.txt
  if ! cmp -s "$pinned" "$folder/requirements.txt"; then
    python3 -m venv --clear "$folder" && "$folder/bin/pip" install --quiet --requirement "$pinned" || return 1
    cp "$pinned" "$folder/requirements.txt"
  fi
  echo "$folder/bin/zizmor"
}

if have actionlint; then actionlint; else say 'left out: actionlint (make tools)'; fi
if have shellcheck; then
  git ls-files '*.sh' .ci/run | xargs shellcheck --external-sources --severity=style
else
  say "left out: shellcheck (the system's package)"
fi
if have python3 && zizmor=$(zizmor_program 2>/dev/null); then
  # Without the network: what it would look up are the commits of actions, which the tests hold.
  "$zizmor" --offline --quiet --config .github/zizmor.yml .github
else
  say 'left out: zizmor (Python 3 with venv and pip)'
fi
