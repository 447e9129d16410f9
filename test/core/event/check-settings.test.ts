import { describe, expect, it } from 'vitest'
import { findSettingsProblem } from '../../../src/core/event/check-settings.ts'
import { findNextRun } from '../../../src/core/event/cron.ts'
import { EVENT_SOURCE } from '../../../src/core/event/event-source.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'

const NOW = Date.parse('2026-11-30T05:00:00Z')
const RULES = {
  checkSecretName: (name: string) => (name === 'MASTER' ? 'Is not for this' : undefined),
  hasKey: async (id: string) => id === 'k1',
  now: NOW,
}

async function problems(settings: object) {
  const read = parseValue(EVENT_SOURCE, settings)
  if (!read.ok) return read.problems.map(({ path }) => path)
  const problem = await findSettingsProblem(read.value, RULES)
  return problem ? [problem.path] : []
}

const schedule = (cron: string, time_zone = 'UTC') => ({ kind: 'schedule', cron, time_zone })
const POLL = { kind: 'poll', tool: 'Gmail.ListEmails', every_minutes: 5, key_id: 'k1' }
const HOOK = { kind: 'webhook', signature: 'github', secret_name: 'GITHUB_SECRET' }

describe('settings of an event source', () => {
  it('accept each kind with its required fields', async () => {
    for (const settings of [HOOK, schedule('0 9 * * MON-FRI', 'Europe/Berlin'), schedule('*/15 * * * *'), POLL])
      expect(await problems(settings)).toEqual([])
    expect(await problems({ ...POLL, select: 'items[0].id', arguments: { n: 1 }, user_id: 'ann' })).toEqual([])
  })

  it('refuse a schedule with seconds, and an invalid schedule', async () => {
    const wrong = [
      '* * * * * *',
      '*/5 * * * * *',
      '* * * *',
      '@every 1s',
      '@daily',
      '60 * * * *',
      '0 0 * * 9',
      '? * * * *',
    ]
    for (const cron of [...wrong, '', '* * * * *\n', '1-0 * * * *', '0 0 30 2 *', `${'1,'.repeat(60)}1 * * * *`])
      expect([cron, await problems(schedule(cron))]).toEqual([cron, ['/cron']])
    for (const zone of ['Mars/Base', '../etc'])
      expect(await problems(schedule('0 9 * * *', zone))).toEqual(['/time_zone'])
  })

  it('refuse a secret that is not allowed, a missing key, and an invalid expression', async () => {
    expect(await problems({ ...HOOK, secret_name: 'MASTER' })).toEqual(['/secret_name'])
    expect(await problems({ ...HOOK, secret_name: 'not a name' })).toEqual(['/secret_name'])
    expect(await problems({ ...POLL, key_id: 'k2' })).toEqual(['/key_id'])
    expect(await problems({ ...POLL, select: 'items[' })).toEqual(['/select'])
    expect(await problems({ ...POLL, every_minutes: 0 })).toEqual(['/every_minutes'])
    expect(await problems({ ...HOOK, security_level: 8 })).toEqual(['/security_level'])
    expect(await problems({ ...HOOK, payload_schema: { type: 'nonsense' } })).toHaveLength(1)
    expect(await problems({ kind: 'carrier-pigeon' })).toEqual(['/kind'])
    expect(await problems({ ...HOOK, cron: '* * * * *' })).toEqual(['/cron'])
  })
})

describe('a schedule in a time zone', () => {
  const runs = (cron: string, from: string, count: number) => {
    const found: string[] = []
    for (let at: number | undefined = Date.parse(from); found.length < count;) {
      at = findNextRun(cron, 'Europe/Berlin', at ?? 0)
      found.push(new Date(at ?? 0).toISOString())
    }
    return found
  }

  it('keeps its local hour across daylight saving time', () => {
    expect(runs('0 9 * * *', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T07:00:00.000Z',
      '2027-03-29T07:00:00.000Z',
    ])
    expect(runs('0 9 * * *', '2027-10-30T12:00:00Z', 2)).toEqual([
      '2027-10-31T08:00:00.000Z',
      '2027-11-01T08:00:00.000Z',
    ])
  })

  it('runs once if a clock change skips or repeats its time', () => {
    expect(runs('30 2 * * *', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
    expect(runs('30 2 * * *', '2027-10-30T12:00:00Z', 2)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-11-01T01:30:00.000Z',
    ])
  })

  it('runs every hour of a day with a clock change, if it is hourly', () => {
    expect(runs('0 * * * *', '2027-10-30T23:30:00Z', 3)).toEqual(
      ['00', '01', '02'].map((hour) => `2027-10-31T${hour}:00:00.000Z`),
    )
  })
})
