import { custom } from './json-reader.ts'

const DATE_TIME = { type: 'string', format: 'date-time' }
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** An RFC 3339 time, parsed to milliseconds since 1970. */
export const time = custom("an RFC 3339 time such as '2030-01-31T12:00:00Z'", parseTime, () => DATE_TIME)

/** Refuses February 30, which `Date.parse` would read as a day in March. */
function parseTime(value: unknown): number | undefined {
  const [text, year, month, day] = (typeof value === 'string' && RFC_3339.exec(value)) || []
  if (text === undefined) return undefined
  const date = new Date(`${year}-${month}-01T00:00:00Z`)
  date.setUTCDate(Number(day))
  if (date.getUTCMonth() + 1 !== Number(month)) return undefined
  return Date.parse(text.toUpperCase())
}
