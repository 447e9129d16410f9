import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import type { Comparison, Difference } from '../../../src/core/publish/findings/finding.ts'
import { DAY_MS } from '../../../src/core/tool/time.ts'
import {
  forgetSource,
  listFindings,
  rememberSource,
  storeComparison,
  takeMessages,
  takeSources,
} from '../../../src/storage/registry/findings.ts'

const inRegistry = (use: (sql: SqlStorage) => void) =>
  runInDurableObject(env.Registry.getByName(crypto.randomUUID()), (_, { storage }) => use(storage.sql))

const CHANGED: Difference = { tool: 'Add', kind: 'changed', severity: 'breaking', changes: [] }

function remember(sql: SqlStorage, toolkit: string, more: object = {}) {
  const source = { toolkit, kind: 'mcp', url: 'https://a.example/mcp', options: {}, tools: ['Add'], known: ['Add'] }
  rememberSource(sql, JSON.stringify({ ...source, importer: 'admin', isTrusted: true, maySendSecrets: true, ...more }))
}

function store(sql: SqlStorage, now: number, more: Partial<Comparison>) {
  storeComparison(sql, JSON.stringify({ toolkit: 'Kit', state: 'complete', differences: [], ...more }), now)
}

const list = (sql: SqlStorage) =>
  listFindings(sql, { limit: 100 }, ADMIN).items.map(({ tool, since, body }) => [tool, since, JSON.parse(body).kind])

it('a source that has not answered for a day is a finding until it does, next to earlier findings', () =>
  inRegistry((sql) => {
    remember(sql, 'Kit')
    store(sql, 1, { differences: [CHANGED] })
    store(sql, 1_000, { state: 'unreachable' })
    store(sql, 999 + DAY_MS, { state: 'unreachable' })
    expect(list(sql)).toEqual([['add', 1, 'changed']])
    store(sql, 1_000 + DAY_MS, { state: 'unreachable' })
    expect(list(sql)).toEqual([
      ['', 1_000 + DAY_MS, 'unreachable'],
      ['add', 1, 'changed'],
    ])
    store(sql, 2_000 + DAY_MS, { differences: [CHANGED] })
    expect(list(sql)).toEqual([['add', 1, 'changed']])
    store(sql, 3_000 + DAY_MS, { state: 'unreachable' })
    expect(list(sql)).toEqual([['add', 1, 'changed']])
  }))

it('a source that lacks its credential is a finding at once, and ends no other finding', () =>
  inRegistry((sql) => {
    remember(sql, 'Kit')
    store(sql, 1, { differences: [CHANGED] })
    store(sql, 2, { state: 'credential' })
    expect(list(sql)).toEqual([
      ['', 2, 'credential'],
      ['add', 1, 'changed'],
    ])
    store(sql, 3, { state: 'partial' })
    expect(list(sql)).toEqual([['add', 1, 'changed']])
    store(sql, 4, { differences: [{ ...CHANGED, severity: 'additive' }] })
    expect(list(sql)).toEqual([['add', 4, 'changed']])
  }))

it('the source with the oldest comparison is next, and a comparison that ends after its source is deleted stores nothing', () =>
  inRegistry((sql) => {
    for (const toolkit of ['Kit', 'Other']) remember(sql, toolkit)
    const next = (now: number) => takeSources(sql, { limit: 1 }, now).map((text) => JSON.parse(text).toolkit)
    expect([next(1), next(2), next(3)]).toEqual([['Kit'], ['Other'], ['Kit']])
    forgetSource(sql, 'KIT')
    store(sql, 4, { differences: [CHANGED], isAnnounced: true })
    expect([next(4), next(5), list(sql), takeMessages(sql, [], 10)]).toEqual([['Other'], ['Other'], [], []])
  }))

it('imports of some tools from one source are one source, and an import from another replaces it with its findings', () =>
  inRegistry((sql) => {
    remember(sql, 'Kit')
    remember(sql, 'Kit', { tools: ['Sub'] })
    store(sql, 1, { differences: [CHANGED, { ...CHANGED, tool: 'Other' }] })
    remember(sql, 'Kit')
    expect(list(sql)).toEqual([['other', 1, 'changed']])
    const [source = ''] = takeSources(sql, { toolkit: 'kit' }, 1)
    expect(JSON.parse(source).tools).toEqual(['Add', 'Sub'])
    remember(sql, 'Kit', { url: 'https://b.example/mcp', tools: ['New'] })
    const [other = ''] = takeSources(sql, { toolkit: 'kit' }, 1)
    expect([JSON.parse(other).tools, list(sql)]).toEqual([['New'], []])
  }))

it('a message has only new findings, and is sent up to five times until it is received', () =>
  inRegistry((sql) => {
    remember(sql, 'Kit')
    store(sql, 1, { differences: [CHANGED] })
    expect(takeMessages(sql, [], 10)).toEqual([])
    store(sql, 2, { differences: [CHANGED, { ...CHANGED, tool: 'Sub' }], isAnnounced: true })
    store(sql, 3, { differences: [CHANGED, { ...CHANGED, tool: 'Sub' }], isAnnounced: true })
    const taken = Array.from({ length: 6 }, () => takeMessages(sql, [], 10))
    expect(taken.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 0])
    expect(JSON.parse(taken[0]?.[0]?.body ?? '').data).toMatchObject({ total: 1, findings: [{ tool: 'Sub' }] })
    store(sql, 4, { differences: [], isAnnounced: true })
    store(sql, 5, { differences: [CHANGED], isAnnounced: true })
    const [message] = takeMessages(sql, [], 10)
    expect(takeMessages(sql, [message?.id ?? ''], 10)).toEqual([])
  }))
