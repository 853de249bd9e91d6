#!/bin/sh
# The command, by the Node that npm installs with it: the machine's own may be too old to read TypeScript.
root=$(dirname "$(dirname "$(readlink -f "$0")")")
node="$root/node_modules/.bin/node"
[ -x "$node" ] || node=node
exec "$node" "$root/bin/tileonce.ts" "$@"
