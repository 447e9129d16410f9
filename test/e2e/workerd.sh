#!/bin/sh
# workerd on a leash, for MINIFLARE_WORKERD_PATH: without one it outlives a process that was killed.
here=$(dirname "$0")
exec "$here/leash.sh" "$here/../../node_modules/.bin/workerd" "$@"
