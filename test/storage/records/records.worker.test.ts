import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AuditEvent } from '../../../src/core/access/audit-entry.ts'
import type { Principal } from '../../../src/core/access/principal.ts'
import type { CallRecord } from '../../../src/core/call/call-record.ts'
import { ok } from '../../../src/core/failure/failure.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { createKeyring } from '../../../src/storage/sealing/keyring.ts'
import { sealContent } from '../../../src/storage/records/seal-content.ts'
import { groupCalls } from '../../../src/storage/records/call-groups.ts'
import { SPAN } from '../../../src/storage/records/call-rows.ts'
import type { RecordBatch, Records } from '../../../src/storage/records/records-object.ts'
import { formatDay } from '../../../src/storage/records/days.ts'
import { createRecords, recordsStub } from '../../../src/storage/records/records.ts'
import { callerWith, callWith } from '../../core/call/fakes.ts'
import { definitionWith, recordOf } from '../../runners/http/records.ts'

const DAY = 86_400_000

afterEach(() => void vi.useRealTimers())

/** Records of days that no other test uses. */
function createWorld(days: number) {
  const run = crypto.randomUUID()
  const asked: string[] = []
  const stubOf = (day: string) => env.Records.getByName(`${day} ${run}`)
  const namespace = new Proxy(env.Records, {
    get: () => (day: string) => {
      asked.push(day)
      return stubOf(day)
    },
  })
  // Ahead of the clock, so that no alarm comes due by itself
  const now = Date.parse('2100-06-15T12:00:00Z')
  let time = now
  const keyring = createKeyring(['a key of the vault'], 'content')
  const sealer = createKeyring(['a secret of the deployment'], 'cursor')
  const records = createRecords(recordsStub(namespace), sealer, () => time, { keyring, days: 7 })
  let made = 0
  const call = (given: Partial<CallRecord> = {}): CallRecord => ({
    at: now,
    call_id: `c${++made}`,
    principal: 'key:1',
    tool: 'Mail.Send@1.0.0',
    digest: 'd',
    dialect: 'oxp',
    outcome: 'success',
    duration_ms: 10,
    ...given,
  })
  return {
    records,
    call,
    asked,
    now,
    all: { since: now - days * DAY, until: now + 1 },
    stubOf,
    store: async (
      calls: readonly CallRecord[],
      { lost = 0, id = crypto.randomUUID(), keep = 'all' }: Partial<RecordBatch> & { keep?: 'all' | 'failures' } = {},
    ) => {
      const day = formatDay(calls[0]?.at ?? now)
      for (let from = 0; from < calls.length; from += SPAN) {
        const groups = groupCalls(calls.slice(from, from + SPAN), keep)
        await stubOf(day).append({ id: `${id} ${from}`, day, calls: groups, acts: [], lost: from === 0 ? lost : 0 })
      }
    },
    storeActs: (acts: readonly AuditEvent[]) =>
      stubOf(formatDay(now)).append({ id: crypto.randomUUID(), day: formatDay(now), calls: [], acts, lost: 0 }),
    today: stubOf(formatDay(now)),
    alarm: (day: string, daysLater = 31) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(day) + daysLater * DAY })
      return runDurableObjectAlarm(stubOf(day))
    },
    async storeContent(call: CallRecord, input: JsonObject, owner: string, contentDays = 7): Promise<void> {
      const principal: Principal = { id: 'agent:1', kind: 'agent', scopes: [], tools: [], users: [], owner }
      const facts = { authorizedTool: recordOf(definitionWith([]), { kind: 'bundled' }) }
      const ended = { request: callWith({ input }), caller: callerWith({ principal }), facts, result: ok(null) }
      const content = await sealContent(keyring, contentDays, call, ended)
      const batch = {
        id: crypto.randomUUID(),
        day: formatDay(call.at),
        calls: groupCalls([call], 'all'),
        acts: [],
        lost: 0,
      }
      await stubOf(batch.day).append({ ...batch, contents: content ? [content] : [] })
    },
    wait: (daysMore: number) => void (time += daysMore * DAY),
  }
}

const idsOf = (page: { readonly items: readonly CallRecord[] } | undefined) => page?.items.map((each) => each.call_id)

describe('recorded calls', () => {
  it('are read newest first over several days, page by page, with no duplicates and no gaps', async () => {
    const { records, store, call, now, all } = createWorld(3)
    await store([1, 2, 3].map((n) => call({ call_id: `a${n}`, at: now - 2 * DAY + n })))
    await store([1, 2].map((n) => call({ call_id: `b${n}`, at: now - n })))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await records.calls(all, 2, cursor)
      seen.push(...(idsOf(page) ?? []))
      cursor = page?.nextCursor
      if (cursor !== undefined) expect(page?.items).toHaveLength(2)
    } while (cursor !== undefined)
    expect(seen).toEqual(['b2', 'b1', 'a3', 'a2', 'a1'])
  })

  it('are stored once, however often their batch arrives', async () => {
    const { records, store, call, all } = createWorld(1)
    const id = crypto.randomUUID()
    const calls = [call({ call_id: 'a' }), call({ call_id: 'b' })]
    await store(calls, { id, lost: 1 })
    await store(calls, { id, lost: 1 })
    await store([call({ call_id: 'c' })])
    expect(idsOf(await records.calls(all, 10))).toEqual(['c', 'b', 'a'])
    expect(await records.usage(all, ['toolkit'])).toMatchObject({ items: [{ calls: 3 }], lost: 1 })
  })

  it('have a row only if the setting asks for it, and are counted in any case', async () => {
    const { records, store, call, all } = createWorld(1)
    const calls = () => [call(), call({ call_id: 'failed', outcome: 'tool-failed' })]
    await store(calls(), { keep: 'failures' })
    await store(calls(), { keep: 'all' })
    expect(idsOf(await records.calls(all, 10))).toHaveLength(3)
    expect(await records.usage(all, ['toolkit'])).toMatchObject({ items: [{ calls: 4, failures: 2 }], lost: 0 })
  })

  it('are read back unchanged, whatever text they contain', async () => {
    const { records, store, call, all } = createWorld(1)
    const odd = ['"', "'", '\\u0000', '\u0000', '\ud800', '\u2028', 'ü', '[1]', '{"a":1}', 'null', '1e999']
    await store(odd.map((user_id) => call({ user_id, principal_name: user_id })))
    const page = await records.calls(all, 100)
    expect(page?.items.map(({ user_id }) => user_id)).toEqual(odd.toReversed())
    for (const user of ['"', 'null', '1e999', '{"a":1}']) {
      expect((await records.calls({ ...all, user_id: user }, 100))?.items.map((each) => each.user_id)).toEqual([user])
    }
  })

  it('share rows if they have much in common, and stay in order if they have not', async () => {
    const { records, store, call, all, today } = createWorld(1)
    const tools = ['Mail.Send@1.0.0', 'Maps.Find@1.0.0', 'Mail.Send@2.0.0']
    // More than have numbers together, of kinds that take turns
    const calls = Array.from({ length: 2_500 }, (_, n) => call({ call_id: `c${n}`, tool: tools[n % 3] ?? '' }))
    await store(calls)
    const rows = await runInDurableObject(today, (_, { storage }) =>
      storage.sql.exec('SELECT count(*) AS count FROM call').one(),
    )
    expect(rows).toEqual({ count: 9 })
    const read = async (filter: object) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await records.calls({ ...all, ...filter }, 700, cursor)
        seen.push(...(idsOf(page) ?? []))
        cursor = page?.nextCursor
      } while (cursor !== undefined)
      return seen
    }
    const wanted = (is: (n: number) => boolean) =>
      calls.flatMap(({ call_id }, n) => (is(n) ? call_id : [])).toReversed()
    expect(await read({})).toEqual(wanted(() => true))
    expect(await read({ tool: 'Mail.Send' })).toEqual(wanted((n) => n % 3 !== 1))
    expect(await read({ tool: 'Mail.Send@2.0.0' })).toEqual(wanted((n) => n % 3 === 2))
  })

  it('of one batch are filtered by the requested time', async () => {
    const { records, store, call, all, now } = createWorld(1)
    await store([5, 1, 4, 2, 3].map((n) => call({ call_id: `at ${n}`, at: now - n })))
    const between = async (since: number, until: number) =>
      idsOf(await records.calls({ ...all, since: now - since, until: now - until }, 10))
    expect(await between(4, 1)).toEqual(['at 3', 'at 2', 'at 4'])
    expect(await between(3, 2)).toEqual(['at 3'])
    expect(await between(9, 5)).toEqual([])
  })

  it('are split into rows of limited length, however large each call is', async () => {
    const { records, store, call, all } = createWorld(1)
    const long = Array.from({ length: 400 }, (_, n) =>
      call({ call_id: `c${n}`, arguments: { text: 'x'.repeat(9_000) } }),
    )
    await store(long)
    const page = await records.calls(all, 400)
    expect(page?.items).toEqual(long.toReversed())
  })

  it('a cursor is valid for its own query only, and cannot be made up', async () => {
    const { records, store, call, all } = createWorld(1)
    await store([call(), call(), call()])
    const page = await records.calls({ ...all, principal: 'key:1' }, 1)
    expect(page?.nextCursor).toBeDefined()
    expect(await records.calls({ ...all, own: { principal: 'key:2' } }, 1, page?.nextCursor)).toBeUndefined()
    expect(await records.calls({ ...all, principal: 'key:1' }, 1, 'x.y')).toBeUndefined()
  })

  it('are found by each filter', async () => {
    const { records, store, call, all, now } = createWorld(1)
    await store([
      call({ call_id: 'mail', principal: 'key:2', user_id: 'ann' }),
      call({ call_id: 'old', tool: 'Mail.Send@0.9.0', at: now - 3_600_000 }),
      call({ call_id: 'failed', tool: 'Maps.Find@1.0.0', outcome: 'tool-failed', dialect: 'mcp' }),
      call({ call_id: 'unknown', tool: 'Nonsense', digest: undefined, outcome: 'tool-unknown' }),
    ])
    const found = async (filter: object) => idsOf(await records.calls({ ...all, ...filter }, 100))
    expect(await found({})).toEqual(['unknown', 'failed', 'old', 'mail'])
    expect(await found({ principal: 'key:2' })).toEqual(['mail'])
    expect(await found({ user_id: 'ann' })).toEqual(['mail'])
    expect(await found({ tool: 'mail.send' })).toEqual(['old', 'mail'])
    expect(await found({ tool: 'Mail.Send@0.9.0' })).toEqual(['old'])
    expect(await found({ tool: 'ma*' })).toEqual(['failed', 'old', 'mail'])
    expect(await found({ tool: '*.S*nd' })).toEqual(['old', 'mail'])
    expect(await found({ tool: '*' })).toEqual(['unknown', 'failed', 'old', 'mail'])
    expect(await found({ outcome: 'failure' })).toEqual(['unknown', 'failed'])
    expect(await found({ outcome: 'tool-failed' })).toEqual(['failed'])
    expect(await found({ outcome: 'waiting' })).toEqual([])
    expect(await found({ dialect: 'mcp' })).toEqual(['failed'])
    expect(await found({ until: now })).toEqual(['old'])
    expect(await found({ own: { principal: 'key:2' } })).toEqual(['mail'])
    expect(await found({ own: { principal: 'nobody', user: 'ann' } })).toEqual(['mail'])
    expect(await found({ principal: 'key:1', own: { principal: 'key:2' } })).toEqual([])
    expect(await found({ principal: 'key:1', own: { principal: 'nobody', user: 'ann' } })).toEqual([])
  })

  it('move to the bucket when their day is 30 days old', async () => {
    const { records, store, call, all, now, alarm } = createWorld(1)
    await store([call({ call_id: 'first' }), call({ call_id: 'second' })])
    expect(await alarm(formatDay(now))).toBe(true)
    expect(idsOf(await records.calls(all, 10))).toEqual([])
    const kept = await env.ARTIFACTS.get(`calls/${formatDay(now)}/0000.jsonl`)
    const lines = (await kept?.text())
      ?.trim()
      .split('\n')
      .map((line): CallRecord => JSON.parse(line))
    expect(lines?.map(({ call_id }) => call_id)).toEqual(['first', 'second'])
    await store([call({ call_id: 'again' })])
    expect(idsOf(await records.calls(all, 10))).toEqual(['again'])
  })
})

describe('a principal', () => {
  it('does not use up the space that calls of others need', async () => {
    const { records, store, call, all, today } = createWorld(1)
    await store([call()])
    await runInDurableObject(today, (_, { storage: { sql } }) => {
      sql.exec("UPDATE meta SET value = 2500000 WHERE name = 'calls'")
      sql.exec("UPDATE meta SET value = 499999 WHERE name = 'calls of key:1'")
    })
    await store([call({ call_id: 'within' })])
    await store([call({ call_id: 'beyond' }), call({ call_id: 'of another', principal: 'key:2' })])
    expect(idsOf(await records.calls(all, 10))).toEqual(['of another', 'within', 'c1'])
    expect((await records.usage(all, ['principal']))?.lost).toBe(1)
  })

  it('has usage figures for a limited number of users, and loses no call of the others', async () => {
    const { records, store, call, all, today } = createWorld(1)
    await store([call({ user_id: 'ann' })])
    await runInDurableObject(today, (_, { storage: { sql } }) => {
      sql.exec("UPDATE meta SET value = 19999 WHERE name = 'user hours of key:1'")
    })
    await store(['ann', 'bob', 'eve', 'dan', 'ann'].map((user_id) => call({ user_id })))
    await store([call({ user_id: 'dan', principal: 'key:2' })])
    const usage = await records.usage(all, ['principal', 'user_id'])
    const counts = usage?.items.map(({ group, calls }) => [group.principal, group.user_id, calls])
    expect(counts).toHaveLength(4)
    expect(counts).toEqual(
      expect.arrayContaining([
        ['key:1', 'ann', 3],
        ['key:1', 'bob', 1],
        ['key:2', 'dan', 1],
      ]),
    )
    expect(idsOf(await records.calls(all, 10))).toHaveLength(7)
  })
})

describe('a day that has ended', () => {
  it('moves to the bucket part by part, and waits while the bucket refuses', async () => {
    const { store, call, now, alarm, stubOf } = createWorld(1)
    const day = formatDay(now)
    const written: string[] = []
    let refuses = true
    const bucket = {
      put: async (key: string, text: string) => {
        if (refuses && written.length === 1) throw new Error('The bucket is away')
        written.push(`${key} ${text.split('\n').length - 1}`)
      },
    }
    for (let n = 0; n < 45; n++) await store(Array.from({ length: 1_000 }, () => call()))
    const alarmAt = () => runInDurableObject(stubOf(day), (_, { storage }) => storage.getAlarm())
    await runInDurableObject(stubOf(day), (object) => Object.assign(object, { env: { ARTIFACTS: bucket } }))
    const before = Date.now()
    expect(await alarm(day)).toBe(true)
    expect(await alarmAt()).toBeGreaterThan(before + 3_500_000)
    refuses = false
    expect(await alarm(day)).toBe(true)
    expect(written.map((each) => each.slice(-20))).toEqual(
      ['0000.jsonl 20000', '0001.jsonl 20000', '0002.jsonl 5000'].map((end) => expect.stringContaining(end)),
    )
    expect(await alarmAt()).toBeNull()
  })
})

it('are found by patterns that are as long as names can be', async () => {
  const { records, store, call, all } = createWorld(1)
  const [toolkit, name] = ['Kit'.repeat(21), 'Tool'.repeat(16)]
  await store([
    call({ call_id: 'long', tool: `${toolkit}.${name}@1.0.0` }),
    call({ call_id: 'beside', tool: `${toolkit}.${name.slice(1)}@1.0.0` }),
    call(),
  ])
  for (const [tool, ids] of [
    [`${toolkit}.*`, ['beside', 'long']],
    [`*${toolkit.slice(3).toLowerCase()}.${name}*`, ['long']],
    [`*k*${'*'.repeat(50)}*t.*${name.slice(2, 60)}*`, ['beside', 'long']],
    [`${toolkit}x.*`, []],
  ] as const) {
    expect([tool, idsOf(await records.calls({ ...all, tool }, 10))]).toEqual([tool, ids])
    const counted = (await records.usage({ ...all, tool }, ['toolkit']))?.items.reduce(
      (sum, { calls }) => sum + calls,
      0,
    )
    expect([tool, counted]).toEqual([tool, ids.length])
  }
})

describe('the content of a call', () => {
  const storedIn = (stub: DurableObjectStub<Records>) =>
    runInDurableObject(stub, (_, { storage: { sql } }) => sql.exec('SELECT owner, sealed FROM content').toArray())

  it('is found with its call by its owner only, and is stored sealed', async () => {
    const { records, call, all, storeContent, today } = createWorld(1)
    const own = call({ call_id: 'a "quoted" id' })
    await storeContent(own, { text: 'the input' }, 'key:1')
    const found = await records.findCall({ ...all, call_id: own.call_id, own: { principal: 'key:1' } })
    expect(found).toEqual(own)
    expect(await records.findCall({ ...all, call_id: own.call_id, own: { principal: 'key:2' } })).toBeUndefined()
    expect(await records.findCall({ ...all, call_id: 'quoted' })).toBeUndefined()
    expect(await records.findContent('key:1', own)).toEqual({ input: { text: 'the input' }, output: null })
    for (const owner of ['key:2', 'admin', '']) expect(await records.findContent(owner, own)).toBeUndefined()
    expect(await records.findContent('key:1', call({ call_id: own.call_id, at: own.at + 1 }))).toBeUndefined()
    expect(JSON.stringify(await storedIn(today))).not.toContain('the input')
  })

  it('cannot be read by anyone else, even if a row names them as the owner', async () => {
    const { records, call, storeContent, today } = createWorld(1)
    const own = call()
    await storeContent(own, { text: 'a' }, 'key:1')
    await runInDurableObject(today, (_, { storage: { sql } }) => sql.exec("UPDATE content SET owner = 'key:2'"))
    expect(await records.findContent('key:2', own)).toBeUndefined()
  })

  it('is shown for as many days as the setting says, deleted a day later, and never moved to the bucket', async () => {
    const { records, call, now, storeContent, today, wait, alarm, all } = createWorld(1)
    const day = formatDay(now)
    const own = call({ call_id: 'old' })
    await storeContent(own, { text: 'a' }, 'key:1', 30)
    await storeContent(call(), { text: 'b' }, 'key:1', 7)
    const alarmAt = () => runInDurableObject(today, (_, { storage }) => storage.getAlarm())
    expect(await alarmAt()).toBe(Date.parse(day) + 8 * DAY)
    wait(6.9)
    expect(await records.findContent('key:1', own)).toBeDefined()
    wait(0.2)
    expect(await records.findContent('key:1', own)).toBeUndefined()
    expect(await alarm(day, 8)).toBe(true)
    expect(await storedIn(today)).toEqual([])
    expect(await alarmAt()).toBe(Date.parse(day) + 31 * DAY)
    expect(await records.findCall({ ...all, call_id: 'old' })).toEqual(own)
    // The platform may send an alarm twice
    await runInDurableObject(today, (object) => object.alarm())
    expect(await records.findCall({ ...all, call_id: 'old' })).toEqual(own)
    expect(await alarm(day)).toBe(true)
    expect(await records.findCall({ ...all, call_id: 'old' })).toBeUndefined()
    expect(await (await env.ARTIFACTS.get(`calls/${day}/0000.jsonl`))?.text()).not.toContain('sealed')
  })

  it('does not use up the space that others need', async () => {
    const { call, storeContent, today } = createWorld(1)
    await storeContent(call(), {}, 'key:1')
    await runInDurableObject(today, (_, { storage: { sql } }) =>
      sql.exec("UPDATE meta SET value = 100000001 WHERE name = 'contents of key:1'"),
    )
    await storeContent(call(), {}, 'key:1')
    await storeContent(call(), {}, 'key:2')
    expect((await storedIn(today)).map(({ owner }) => owner)).toEqual(['key:1', 'key:2'])
    await runInDurableObject(today, (_, { storage: { sql } }) =>
      sql.exec("UPDATE meta SET value = 1000000001 WHERE name = 'contents'"),
    )
    await storeContent(call(), {}, 'key:3')
    expect(await storedIn(today)).toHaveLength(2)
  })
})

describe('usage', () => {
  it('counts calls that wait for a person separately from failures', async () => {
    const { records, store, call, all } = createWorld(1)
    const outcomes = ['approval-required', 'consent-required', 'input-required', 'requirements-missing'] as const
    await store(outcomes.map((outcome) => call({ outcome, call_id: outcome })))
    const usage = await records.usage(all, ['tool'])
    expect(usage?.items).toMatchObject([{ calls: 4, failures: 1, waiting: 3 }])
    const waiting = await records.calls({ ...all, outcome: 'waiting' }, 10)
    expect(waiting?.items.map(({ outcome }) => outcome)).toEqual(outcomes.slice(0, 3).toReversed())
    expect((await records.usage({ ...all, outcome: 'failure' }, ['tool']))?.items).toMatchObject([{ calls: 1 }])
  })

  it('groups calls over days, with their failures and durations', async () => {
    const { records, store, call, all, now } = createWorld(2)
    const timed = [5, 10, 20, 4_000].map((duration_ms) => call({ duration_ms, at: now - DAY }))
    await store(timed, { lost: 2 })
    await store([call({ outcome: 'tool-failed', user_id: 'ann' }), call({ tool: 'Maps.Find@1.0.0' })], { lost: 3 })
    const usage = await records.usage(all, ['tool'])
    expect(usage?.lost).toBe(5)
    expect(usage?.items.map(({ group, calls, failures }) => ({ group, calls, failures }))).toEqual([
      { group: { tool: 'Mail.Send' }, calls: 5, failures: 1 },
      { group: { tool: 'Maps.Find' }, calls: 1, failures: 0 },
    ])
    const [mail] = usage?.items ?? []
    expect(mail?.mean_ms).toBe(809)
    expect(mail?.p50_ms).toBeGreaterThanOrEqual(9)
    expect(mail?.p50_ms).toBeLessThanOrEqual(11)
    expect(mail?.p99_ms).toBeGreaterThan(3_600)
    expect(mail?.p99_ms).toBeLessThan(4_400)
    const days = await records.usage(all, ['day', 'outcome'])
    expect(days?.items.map(({ group, calls }) => [group.day, group.outcome, calls])).toEqual([
      [formatDay(now - DAY), 'success', 4],
      [formatDay(now), 'success', 1],
      [formatDay(now), 'tool-failed', 1],
    ])
    const hours = await records.usage({ ...all, since: now }, ['hour', 'toolkit'])
    expect(hours?.items.map(({ group }) => group)).toContainEqual({ hour: '2100-06-15T12:00:00.000Z', toolkit: 'Maps' })
    const ann = await records.usage({ ...all, own: { principal: 'x', user: 'ann' } }, ['principal'])
    expect(ann?.items).toMatchObject([{ group: { principal: 'key:1' }, calls: 1, failures: 1 }])
  })

  it('adds up calls and durations over batches, callers, tools, hours and days', async () => {
    const { records, store, call, all, now } = createWorld(2)
    const HOUR = 3_600_000
    // Of one bucket, so that each row is added to and is one of several
    for (const principal of ['key:1', 'key:2']) {
      for (const at of [now, now - HOUR, now - DAY]) {
        for (const outcome of ['success', 'tool-failed'] as const) {
          for (let batch = 0; batch < 3; batch++) {
            await store([100, 101].map((duration_ms) => call({ principal, at, outcome, duration_ms })))
          }
        }
      }
    }
    await store([call({ tool: 'Mail.Read@1.0.0', duration_ms: 0 }), call({ tool: 'Maps.Find@1.0.0', duration_ms: 7 })])
    const usage = async (by: Parameters<typeof records.usage>[1], filter = all) =>
      (await records.usage(filter, by))?.items.map(({ group, calls, failures, mean_ms }) => [
        Object.values(group).join(),
        calls,
        failures,
        mean_ms,
      ])
    expect(await usage(['tool'])).toEqual([
      ['Mail.Send', 72, 36, 100.5],
      ['Mail.Read', 1, 0, 0],
      ['Maps.Find', 1, 0, 7],
    ])
    expect(await usage(['principal'])).toEqual([
      ['key:1', 38, 18, 95.4],
      ['key:2', 36, 18, 100.5],
    ])
    expect(await usage(['outcome'])).toEqual([
      ['success', 38, 0, 95.4],
      ['tool-failed', 36, 36, 100.5],
    ])
    const mail = { ...all, tool: 'Mail.Send' }
    expect(await usage(['day'], mail)).toEqual([
      [formatDay(now), 48, 24, 100.5],
      [formatDay(now - DAY), 24, 12, 100.5],
    ])
    expect((await usage(['hour'], mail))?.map(([, ...rest]) => rest)).toEqual(Array(3).fill([24, 12, 100.5]))
    const counted = await records.metrics()
    expect(counted.calls.map(({ tool, outcome, calls }) => [tool, outcome, calls])).toEqual([
      ['Mail.Read', 'success', 1],
      ['Mail.Send', 'success', 24],
      ['Mail.Send', 'tool-failed', 24],
      ['Maps.Find', 'success', 1],
    ])
    expect(counted.durations.map(({ toolkit, calls, seconds }) => [toolkit, calls, seconds])).toEqual([
      ['Mail', 49, 4.824],
      ['Maps', 1, 0.007],
    ])
    const atMost = new Map(counted.durations[0]?.atMost.map(({ seconds, calls }) => [seconds, calls]))
    expect([atMost.get(0.005), atMost.get(0.05), atMost.get(0.25), atMost.get(300)]).toEqual([1, 1, 49, 49])
  })

  it('computes quantiles over all calls, in any order and batch', async () => {
    const { records, store, call, all } = createWorld(1)
    // 100 calls: 50 of 10 ms, 45 of 100 ms, 4 of a second and one of 20 seconds
    const durations = [...Array(50).fill(10), ...Array(45).fill(100), ...Array(4).fill(1_000), 20_000]
    for (const part of [durations.slice(60), durations.slice(0, 60).toReversed()]) {
      await store(part.map((duration_ms) => call({ duration_ms })))
    }
    const [item] = (await records.usage(all, ['tool']))?.items ?? []
    const isNear = (value: number | undefined, wanted: number) => Math.abs((value ?? 0) / wanted - 1) <= 0.1
    expect([isNear(item?.p50_ms, 10), isNear(item?.p95_ms, 100), isNear(item?.p99_ms, 1_000)]).toEqual([
      true,
      true,
      true,
    ])
    expect(item?.mean_ms).toBe(290)
    const none = await records.usage({ ...all, tool: 'Mail.Read' }, ['tool'])
    expect(none).toEqual({ items: [], lost: 0 })
  })

  it('counts calls of unknown tool names together', async () => {
    const { records, store, call, all } = createWorld(1)
    await store(['a', 'b', 'c'].map((tool) => call({ tool, digest: undefined, outcome: 'tool-unknown' })))
    expect((await records.usage(all, ['tool']))?.items).toMatchObject([{ group: { tool: '' }, calls: 3 }])
  })

  it('counts calls of a tool without an available version under that tool', async () => {
    const { records, store, call, all } = createWorld(1)
    const unavailable = { digest: undefined, outcome: 'version-unavailable' } as const
    await store([call(), call({ ...unavailable, tool: 'Mail.Send' }), call({ ...unavailable, tool: 'x' })])
    const { items = [] } = (await records.usage(all, ['tool'])) ?? {}
    expect(items.map(({ group, calls }) => [group.tool, calls])).toEqual([
      ['Mail.Send', 2],
      ['', 1],
    ])
    expect(idsOf(await records.calls({ ...all, tool: 'Mail.Send' }, 10))).toHaveLength(2)
  })

  it('of today is counted for time series', async () => {
    const { records, store, call } = createWorld(1)
    await store([call({ duration_ms: 20 }), call({ duration_ms: 3_000, outcome: 'tool-failed' })])
    const counted = await records.metrics()
    expect(counted.calls).toEqual([
      { toolkit: 'Mail', tool: 'Mail.Send', outcome: 'success', calls: 1 },
      { toolkit: 'Mail', tool: 'Mail.Send', outcome: 'tool-failed', calls: 1 },
    ])
    const [mail] = counted.durations
    expect(mail).toMatchObject({ toolkit: 'Mail', calls: 2, seconds: 3.02 })
    const atMost = new Map(mail?.atMost.map(({ seconds, calls }) => [seconds, calls]))
    expect([atMost.get(0.01), atMost.get(0.05), atMost.get(1), atMost.get(5)]).toEqual([0, 1, 1, 2])
  })
})

describe('a day with more tools than the limit for time series', () => {
  it('is counted by toolkit', async () => {
    const { records, store, call } = createWorld(1)
    for (let part = 0; part < 6; part++) {
      await store(Array.from({ length: 9_000 }, (_, n) => call({ tool: `Kit${n % 2}.Tool${part}x${n}@1.0.0` })))
    }
    const { calls, durations } = await records.metrics()
    const each = ['Kit0', 'Kit1'].map((toolkit) => ({ toolkit, outcome: 'success', calls: 27_000 }))
    expect(calls).toEqual(each)
    expect(durations.map(({ toolkit, calls: count }) => [toolkit, count])).toEqual([
      ['Kit0', 27_000],
      ['Kit1', 27_000],
    ])
  })
})

describe('recorded acts', () => {
  it('are found by each filter, separately from calls', async () => {
    const { records, all, now, storeActs, store, call } = createWorld(1)
    const act = { at: now, method: 'DELETE', path: '/keys/k1', status: 204, outcome: 'success' }
    await store([call()])
    await storeActs([
      { ...act, act: 'key.remove', principal: 'admin' },
      { ...act, act: 'grant.give', user_id: 'ann' },
      { ...act, act: 'refusal', outcome: 'forbidden', principal: 'key:1' },
    ])
    const found = async (filter: object) =>
      (await records.auditEvents({ ...all, ...filter }, 10))?.items.map((each) => each.act)
    expect(await found({})).toEqual(['refusal', 'grant.give', 'key.remove'])
    expect(await found({ act: 'key.remove' })).toEqual(['key.remove'])
    expect(await found({ principal: 'key:1' })).toEqual(['refusal'])
    expect(await found({ user_id: 'ann' })).toEqual(['grant.give'])
    expect(await found({ outcome: 'failure' })).toEqual(['refusal'])
    expect((await records.calls(all, 10))?.items).toHaveLength(1)
  })

  it('are stored together with calls, however many arrive in a second', async () => {
    const { records, all, now, storeActs, store, call } = createWorld(1)
    const many = Array.from({ length: 1_000 }, (_, index) => index)
    const long = 'a'.repeat(3_000)
    const act = { at: now, method: 'POST', path: '/keys', status: 201, outcome: 'success', act: 'key.create' as const }
    await storeActs(many.map((index) => ({ ...act, principal: `key:${index}`, about: { name: long } })))
    await store(many.map((index) => call({ principal: `key:${index}`, arguments: { text: long } })))
    expect((await records.auditEvents(all, 1_000))?.items.map(({ principal }) => principal)).toEqual(
      many.map((index) => `key:${index}`).reverse(),
    )
    expect((await records.calls(all, 1_000))?.items).toHaveLength(1_000)
  })
})
