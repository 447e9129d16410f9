import { describe, expect, it, vi } from 'vitest'
import { createCacheMemory } from '../../../src/core/cache/swr-cache.ts'
import { DIGEST_FORM, hashLock, MAX_LOCKS, type ToolLock } from '../../../src/core/access/tool-lock.ts'
import { MAX_TOOLSETS, type Toolset } from '../../../src/core/access/toolset.ts'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import { computeRevision } from '../../../src/core/tool/precondition.ts'
import { createKvToolsets } from '../../../src/storage/registry/kv/kv-toolsets.ts'
import { sha256 } from '../../../src/storage/sealing/sha256.ts'
import { ADMIN, type Harness, inRegistry, publication, stopClock, stubOf } from './set-up.ts'

stopClock()

function toolset(name: string, change: Partial<Toolset> = {}): Toolset {
  return {
    name,
    owner: 'key:ann',
    revision: 1,
    definition: { enabled: true, tools: [{ tool: 'Mail.*' }] },
    digest: `sha256:${'0'.repeat(64)}`,
    changed_at: '2026-01-01T00:00:00.000Z',
    changed_by: 'key:ann',
    ...change,
  }
}
const lock = (id = 'Mail.Send@1.0.0'): ToolLock => ({
  version: 1,
  digest_form: DIGEST_FORM,
  tools: { Mail_Send: { id, digest: `sha256:${'1'.repeat(64)}` } },
})

const ANN = { id: 'key:ann', hasQuota: true }

/** An isolate that knows toolsets, the methods of the registry that it called, and how to cut it off. */
function isolate({ kv, registry }: Pick<Harness, 'kv' | 'registry'>) {
  const asked: string[] = []
  const stub = stubOf(registry, asked)
  const reach = { isAway: false }
  const getStub = () => {
    if (reach.isAway) throw new UnreachableError('away')
    return stub
  }
  const memory = createCacheMemory(10_000_000)
  return { ...createKvToolsets({ kv: kv.binding, registry: getStub, memory, now: () => Date.now() }), asked, reach }
}
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

describe('the toolsets of a registry', () => {
  it('are kept after a crash, and are listed by name without their definitions', () =>
    inRegistry(async (harness) => {
      const { toolsets } = isolate(harness)
      expect(await toolsets.put(toolset('mail'))).toBe('created')
      const version = { definition: { enabled: true, tools: [] }, digest: 'd', changed_at: 'then', changed_by: 'x' }
      const definition = { title: 'All', enabled: false, tools: [{ tool: '*' }, { tool: 'Mail.Send' }] }
      expect(await toolsets.put(toolset('all', { definition, pending: version }))).toBe('created')
      expect(await toolsets.put(toolset('mail', { revision: 2 }))).toBe('replaced')
      harness.restart()
      const { definition: _, pending: __, ...summary } = toolset('all')
      expect(await isolate(harness).toolsets.list()).toEqual([
        { ...summary, title: 'All', enabled: false, tool_count: 2, pending: true },
        { ...summary, name: 'mail', revision: 2, enabled: true, tool_count: 1, pending: false },
      ])
    }))

  it('change only if the precondition holds, and never change owner', () =>
    inRegistry(async (harness) => {
      const { toolsets } = isolate(harness)
      await toolsets.put(toolset('mail'))
      const stale = [computeRevision(toolset('mail', { revision: 7 }))]
      expect(await toolsets.put(toolset('mail', { revision: 2 }), stale)).toBe('precondition-failed')
      expect(await toolsets.remove('mail', stale)).toBe('precondition-failed')
      expect(await toolsets.put(toolset('mail', { owner: 'key:bob' }))).toBe('precondition-failed')
      expect(await toolsets.load('mail')).toEqual(toolset('mail'))
      expect(await toolsets.put(toolset('none'), '*')).toBe('precondition-failed')
      expect(await toolsets.remove('mail', [computeRevision(toolset('mail'))])).toBe('removed')
      expect(await toolsets.remove('mail')).toBe('not-found')
      // Its owner keeps the name, but no caller sees it
      expect(await toolsets.put(toolset('mail', { owner: 'key:bob' }))).toBe('precondition-failed')
      expect([await toolsets.findFormerOwner('mail'), await toolsets.list()]).toEqual(['key:ann', []])
      expect(await toolsets.put(toolset('mail'))).toBe('created')
    }))

  it('have a limit in number, and so have locks', () =>
    inRegistry(async (harness) => {
      const { toolsets, locks } = isolate(harness)
      for (let n = 0; n < MAX_TOOLSETS; n++) expect(await toolsets.put(toolset(`t${n}`))).toBe('created')
      expect(await toolsets.put(toolset('more'))).toBe('limit-reached')
      expect(await toolsets.put(toolset('t0', { revision: 2 }))).toBe('replaced')
      for (let n = 0; n < MAX_LOCKS; n++) {
        harness.sql.exec('INSERT INTO lock VALUES (?, ?)', `sha256:${String(n).padStart(64, '0')}`, '{}')
      }
      expect(await locks.put(lock(), ANN)).toMatchObject({ status: 'limit-reached' })
      expect(await locks.remove(`sha256:${'0'.repeat(64)}`)).toBe(true)
      expect(await locks.put(lock(), ANN)).toMatchObject({ status: 'created' })
      expect(await locks.put(lock(), ANN)).toMatchObject({ status: 'unchanged' })
    }))

  it('are written to KV before publications, and are removed from it when deleted', () =>
    inRegistry(async (harness) => {
      const { toolsets } = isolate(harness)
      await toolsets.put(toolset('mail'))
      await harness.drain()
      expect(JSON.parse(harness.kv.values.get('toolset/mail') ?? '')).toEqual(toolset('mail'))
      const seen = harness.kv.log.length
      for (let n = 0; n < 40; n++) await harness.registry.publish([await publication(`Kit.T${n}@1.0.0`)], ADMIN)
      await toolsets.remove('mail')
      await harness.drain()
      expect(harness.kv.log[seen]?.key).toBe('toolset/mail')
      expect(harness.kv.values.has('toolset/mail')).toBe(false)
    }))
})

describe('an isolate', () => {
  it('sees its own changes at once, and those of others within seconds, without the registry', () =>
    inRegistry(async (harness) => {
      const [one, other] = [isolate(harness), isolate(harness)]
      expect(await one.toolsets.find('mail')).toBeUndefined()
      await one.toolsets.put(toolset('mail'))
      expect(await one.toolsets.find('mail')).toEqual(toolset('mail'))
      await harness.drain()
      expect(await other.toolsets.find('mail')).toEqual(toolset('mail'))
      expect([other.asked, other.toolsets.find('mail')]).toEqual([[], toolset('mail')])
      await one.toolsets.put(toolset('mail', { revision: 2 }))
      expect(await one.toolsets.find('mail')).toEqual(toolset('mail', { revision: 2 }))
      await harness.drain()
      later(5_000)
      const behind: Promise<unknown>[] = []
      expect(other.toolsets.find('mail', (work) => behind.push(work))).toEqual(toolset('mail'))
      await Promise.all(behind)
      expect(other.toolsets.find('mail')).toEqual(toolset('mail', { revision: 2 }))
      await one.toolsets.remove('mail')
      expect(await one.toolsets.find('mail')).toBeUndefined()
      await harness.drain()
      later(25_000)
      expect(await other.toolsets.find('mail')).toBeUndefined()
    }))

  it('asks the registry once about a name that KV lacks, and again after some seconds', () =>
    inRegistry(async (harness) => {
      const one = isolate(harness)
      expect(await one.toolsets.find('mail')).toBeUndefined()
      expect(one.toolsets.find('mail')).toBeUndefined()
      expect(one.asked).toEqual(['value'])
      await isolate(harness).toolsets.put(toolset('mail'))
      later(3_000)
      expect(await one.toolsets.find('mail')).toEqual(toolset('mail'))
    }))

  it.each(['', 'Mail', '-mail', 'a/b', 'a'.repeat(64), '__proto__'])('looks nowhere for the name %j', (name) =>
    inRegistry(async (harness) => {
      const one = isolate(harness)
      expect([one.toolsets.find(name), one.locks.find(name), one.asked]).toEqual([undefined, undefined, []])
      expect(harness.kv.reads).toEqual([])
    }),
  )

  it('does not treat a toolset that it cannot look up as absent', () =>
    inRegistry(async (harness) => {
      const one = isolate(harness)
      one.reach.isAway = true
      await expect(one.toolsets.find('mail')).rejects.toThrow(UnreachableError)
      one.reach.isAway = false
      await isolate(harness).toolsets.put(toolset('mail'))
      expect(await one.toolsets.find('mail')).toEqual(toolset('mail'))
      // A flood of made-up names
      const flood = Array.from({ length: 60 }, (_, n) => one.toolsets.find(`made-up-${n}`))
      const results = await Promise.allSettled(flood)
      expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(9)
      await expect(one.toolsets.find('made-up-too')).rejects.toThrow(UnreachableError)
    }))

  it('knows a toolset for minutes while neither KV nor the registry answers', () =>
    inRegistry(async (harness) => {
      const one = isolate(harness)
      await one.toolsets.put(toolset('mail'))
      await one.toolsets.find('mail')
      one.reach.isAway = true
      later(60_000)
      harness.kv.values.delete('toolset/mail')
      expect(await one.toolsets.find('mail')).toEqual(toolset('mail'))
      later(300_000)
      await expect(one.toolsets.find('mail')).rejects.toThrow(UnreachableError)
    }))

  it('finds a lock by its hash at once', () =>
    inRegistry(async (harness) => {
      const [one, other] = [isolate(harness), isolate(harness)]
      const hash = await hashLock(lock(), sha256)
      expect(await one.locks.find(hash)).toBeUndefined()
      expect(await one.locks.put(lock(), ANN)).toEqual({ hash, status: 'created' })
      expect(await one.locks.find(hash)).toEqual(lock())
      await harness.drain()
      expect([await other.locks.find(hash), other.asked]).toEqual([lock(), []])
    }))

  it('counts locks as publications, which have a limit per publisher', () =>
    inRegistry(async (harness) => {
      const { locks } = isolate(harness)
      expect(await locks.put(lock(), ANN)).toMatchObject({ status: 'created' })
      expect(harness.registry.listPublishedTotals()).toMatchObject({ 'key:ann': { documents: 1 } })
      harness.sql.exec('UPDATE publisher SET bytes = 100000000')
      expect(await locks.put(lock('Mail.Send@2.0.0'), ANN)).toMatchObject({
        status: { denied: expect.stringContaining('PUBLISHER_QUOTA') },
      })
      expect(await locks.put(lock(), ANN)).toMatchObject({ status: 'unchanged' })
      expect(await locks.put(lock('Mail.Send@2.0.0'), { ...ANN, hasQuota: false })).toMatchObject({ status: 'created' })
    }))

  it('refuses a lock that does not fit in a row', () =>
    inRegistry(async (harness) => {
      const tools = Array.from({ length: 5_000 }, (_, n) => [`T${n}`, { id: 'x'.repeat(400), digest: '' }])
      const { status } = await isolate(harness).locks.put({ ...lock(), tools: Object.fromEntries(tools) }, ANN)
      expect(status).toBe('too-large')
    }))
})
