import { Cron } from 'croner'

/**
 * Returns the first run after a time, in milliseconds since 1970. If a clock change skips or repeats a local time, it runs
 * once; an hourly schedule runs every hour.
 */
export function findNextRun(cron: string, timezone: string, after: number): number | undefined {
  return new Cron(cron, { mode: '5-part', timezone }).nextRun(new Date(after))?.getTime()
}

/** Allows five fields, so at most one run a minute, and no '?', which croner replaces with the current time. */
export function findCronProblem(cron: string, timeZone: string, now: number): string | undefined {
  if (!/^[\dA-Z*,/#-]+(?: [\dA-Z*,/#-]+){4}$/i.test(cron))
    return "Must be minute, hour, day, month and weekday, such as '0 9 * * MON-FRI'"
  try {
    return findNextRun(cron, timeZone, now) === undefined ? 'Must match a date that exists' : undefined
  } catch (error) {
    return `Must be a cron expression: ${error instanceof Error ? error.message : String(error)}`
  }
}
