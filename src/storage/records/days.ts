import { DAY_MS } from '../../core/tool/time.ts'

export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function daysBetween(since: number, until: number): string[] {
  const days: string[] = []
  for (let at = until - 1 - ((until - 1) % DAY_MS); at > since - DAY_MS; at -= DAY_MS) days.push(formatDay(at))
  return days
}
