#!/bin/sh
# Runs a command, and kills it (with its process group, if it leads one) once the process that started it is gone.
parent=$PPID self=$$
(
  while kill -0 "$parent"; do
    kill -0 "$self" || exit
    sleep 1
  done
  kill -9 "-$self" || kill -9 "$self"
) <&- >/dev/null 2>&1 3>&- &
exec "$@"
