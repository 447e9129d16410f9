#!/bin/sh
# Runs workerd on a leash, for MINIFLARE_WORKERD_PATH. Otherwise it would outlive a parent that was killed.
here=$(dirname "$0")
exec "$here/leash.sh" "$here/../../node_modules/.bin/workerd" "$@"
