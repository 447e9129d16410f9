#!/bin/sh
# Runs workerd for Miniflare (`workerd.ts`).
#
# Removes the socket that an earlier workerd left: the next one cannot open a socket that exists, so Miniflare could not restart
# a workerd that crashed. Kills workerd once the process that started it is gone, however that ended: otherwise workerd would go
# on with its port and its storage.
rm -f "$SANDBOX_EGRESS"
parent=$PPID self=$$
(
  while kill -0 "$parent"; do
    kill -0 "$self" || exit
    sleep 1
  done
  kill -9 "$self"
) <&- >/dev/null 2>&1 3>&- &
exec "$SWITCHBOARD_WORKERD" "$@"
