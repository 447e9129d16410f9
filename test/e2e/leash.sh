#!/bin/sh
# Runs a command, and kills it, with its group if it leads one, once whoever started it is gone, however that came about.
parent=$PPID self=$$
(
  while kill -0 "$parent"; do
    kill -0 "$self" || exit
    sleep 1
  done
  kill -9 "-$self" || kill -9 "$self"
) <&- >/dev/null 2>&1 3>&- &
exec "$@"
