import { describe, expect, it, vi } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import type { ToolkitChange } from '../../../../src/core/access/toolkit-owner.ts'
import type { ToolStatus } from '../../../../src/core/tool/version.ts'
import { parsePage } from '../../../../src/storage/registry/catalog/listed-tools.ts'
import {
  ADMIN,
  documentOf,
  documentPublication,
  type Harness,
  inRegistry,
  listedIn,
  publication,
  publications,
  rowsOf,
  stopClock,
} from '../set-up.ts'

stopClock()

const key = (id: string, ...tools: string[]): Principal => ({
  id: `key:${id}`,
  kind: 'key',
  scopes: ['tools:publish'],
  tools,
  users: [],
})
const ANN = key('ann', '*')
const OPERATOR = key('operator', 'Kit.*')

async function publish({ registry }: Harness, id: string, as: Principal = ANN, beside: object = {}) {
  const { published } = await registry.publish([await publication(id, {}, beside)], as)
  return published[0]
}
const change = ({ registry }: Harness, change: ToolkitChange | 'delete', as: Principal = ADMIN, kit = 'kit') =>
  registry.changeToolkit(kit, change, as)
const statusesOf = ({ registry }: Harness, tool: string) =>
  documentOf(registry, tool).versions.map(({ version, status }) => [version, status.state])

describe('the status of a toolkit', () => {
  it('applies to all versions of all its tools, and keeps the status of each', () =>
    inRegistry(async (harness) => {
      for (const id of ['Kit.A@1.0.0', 'Kit.A@1.1.0', 'Kit.B@1.0.0', 'Kits.A@1.0.0']) await publish(harness, id)
      await harness.registry.change({ toolkit: 'Kit', tool: 'A' }, '1.0.0', { status: { state: 'yanked' } }, ANN)
      const deprecated = { state: 'deprecated', message: 'Use Kits', successor: 'Kits.A' } as const
      expect(await change(harness, { status: deprecated })).toMatchObject({
        toolkit: { toolkit: 'Kit', status: deprecated },
      })
      expect(statusesOf(harness, 'kit.a')).toEqual([
        ['1.0.0', 'yanked'],
        ['1.1.0', 'deprecated'],
      ])
      expect(documentOf(harness.registry, 'kit.b').versions[0]?.status).toEqual(deprecated)
      await change(harness, { status: { state: 'disabled' } })
      // A version's status set meanwhile applies once the toolkit is enabled
      await harness.registry.change({ toolkit: 'Kit', tool: 'B' }, '1.0.0', { status: deprecated }, ADMIN)
      expect(statusesOf(harness, 'kit.b')).toEqual([['1.0.0', 'disabled']])
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual(['kits.a'])
      await change(harness, { status: { state: 'active' } })
      expect(statusesOf(harness, 'kit.a')).toEqual([
        ['1.0.0', 'yanked'],
        ['1.1.0', 'active'],
      ])
      expect(statusesOf(harness, 'kit.b')).toEqual([['1.0.0', 'deprecated']])
      expect(statusesOf(harness, 'kits.a')).toEqual([['1.0.0', 'active']])
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual(['kit.a', 'kits.a'])
    }))

  it('applies to later publications, and their responses say so', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await change(harness, { status: { state: 'disabled' } }, ANN)
      expect(await publish(harness, 'Kit.A@1.1.0')).toMatchObject({
        outcome: 'created',
        warnings: [{ path: '', message: "'Kit.A@1.1.0' is disabled, as its toolkit is" }],
      })
      expect(statusesOf(harness, 'kit.a')).toEqual([
        ['1.0.0', 'disabled'],
        ['1.1.0', 'disabled'],
      ])
      await change(harness, { status: { state: 'active' } }, ANN)
      expect(documentOf(harness.registry, 'kit.a').newest?.version).toBe('1.1.0')
    }))

  it('is lifted only by an administrator if one disabled it, and nobody else can publish in it meanwhile', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await change(harness, { status: { state: 'disabled' } })
      for (const as of [ANN, OPERATOR]) {
        expect(await change(harness, { status: { state: 'active' } }, as)).toHaveProperty('failure.type', 'forbidden')
        expect(await publish(harness, 'Kit.New@1.0.0', as)).toMatchObject({ failure: { type: 'forbidden' } })
        await harness.registry.change({ toolkit: 'Kit', tool: 'A' }, '1.0.0', { status: { state: 'active' } }, as)
        expect(statusesOf(harness, 'kit.a')).toEqual([['1.0.0', 'disabled']])
      }
      expect(await change(harness, { status: { state: 'active' } })).toHaveProperty('toolkit')
      expect(await change(harness, { status: { state: 'disabled' } }, OPERATOR)).toHaveProperty('toolkit')
    }))

  it('also applies to a bundled toolkit, whatever a deployment contains', () =>
    inRegistry(async (harness) => {
      const bundle = async (version: string) => (await publication(`Kit.Do@${version}`)).records
      await harness.registry.installBundle('b1', 0, await bundle('1.0.0'))
      expect(await change(harness, { status: { state: 'disabled' } })).toHaveProperty('toolkit')
      await harness.registry.installBundle('b2', 0, await bundle('2.0.0'))
      expect(statusesOf(harness, 'kit.do').map(([, state]) => state)).toEqual(['disabled', 'disabled'])
      expect(await change(harness, 'delete')).toEqual({
        ok: false,
        failure: { type: 'conflict', message: expect.stringContaining('take its files out of tools/kit') },
      })
    }))

  it('takes one request for a toolkit of 1,223 tools, and is written like a status', () =>
    inRegistry(async (harness) => {
      const records = await Promise.all(
        Array.from({ length: 1_223 }, async (_, n) => publication(`Kit.Tool${n}@1.0.0`)),
      )
      for (let at = 0; at < records.length; at += 100)
        await harness.registry.publish(records.slice(at, at + 100), ADMIN)
      await harness.drain()
      const begun = Date.now()
      expect(await change(harness, { status: { state: 'disabled' } })).toHaveProperty('toolkit')
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual([])
      expect(JSON.parse(harness.kv.values.get('tool/kit.tool1222') ?? '').versions[0].status.state).toBe('disabled')
      expect(Date.now() - begun).toBeLessThan(60_000)
    }))
})

describe('the tags of a toolkit', () => {
  it('find its tools, as do the tags of each tool', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0', ANN, { tags: ['own'] })
      await publish(harness, 'Other.A@1.0.0')
      await change(harness, { tags: ['mail', 'own'] }, ANN)
      await publish(harness, 'Kit.B@1.0.0')
      const found = async (query: object) => {
        const answer = await harness.registry.query({ versions: 'newest', limit: 10, ...query }, ADMIN)
        return answer?.found.map(({ record }) => JSON.parse(record).id)
      }
      expect((await found({ q: 'mail' }))?.sort()).toEqual(['Kit.A@1.0.0', 'Kit.B@1.0.0'])
      expect(await found({ versions: 'all', tag: 'mail' })).toEqual(['Kit.A@1.0.0', 'Kit.B@1.0.0'])
      await harness.drain()
      const lines = [...harness.kv.values]
        .filter(([key]) => key.startsWith('catalogue/page/'))
        .flatMap(([, text]) => parsePage(text).index)
      const tagsOf = (wanted: string) => lines.findLast(({ key }) => key === wanted)?.tags
      expect([tagsOf('kit.a'), tagsOf('kit.b'), tagsOf('other.a')]).toEqual([['own', 'mail'], ['mail', 'own'], []])
      await change(harness, { tags: [] }, ANN)
      expect(await found({ q: 'mail' })).toEqual([])
    }))
})

describe('a change of a large toolkit', () => {
  const fill = async (harness: Harness, toolkit: string, count: number) => {
    const all = await Promise.all(
      Array.from({ length: count }, (_, n) => publication(`${toolkit}.Tool${1_000 + n}@1.0.0`)),
    )
    for (let at = 0; at < count; at += 100) await harness.registry.publish(all.slice(at, at + 100), ADMIN)
    await harness.drain()
  }
  const listed = async ({ registry }: Harness, query: object) =>
    (await registry.query({ versions: 'newest', limit: 1, ...query }, ADMIN))?.total ?? 0

  it.each([
    ['tags', { tags: ['mail'] }],
    ['description', { description: 'Sends mail' }],
  ] as const)('writes as few rows for 1,200 tools as for 300, and applies to all at once: %s', (_, patch) =>
    inRegistry(async (harness) => {
      await fill(harness, 'Small', 300)
      await fill(harness, 'Large', 1_200)
      const queued = () => harness.sql.exec<{ n: number }>('SELECT count(*) AS n FROM outbox').one().n
      const ofSmall = await rowsOf(harness.sql, () => change(harness, patch, ADMIN, 'Small'))
      expect(queued()).toBeLessThan(60)
      await harness.drain()
      const ofLarge = await rowsOf(harness.sql, () => change(harness, patch, ADMIN, 'Large'))
      expect(queued()).toBeLessThan(60)
      // Both read each version's trust, and nothing else of most tools
      expect(ofLarge - ofSmall).toBeLessThan(1.2 * 900)
      if ('tags' in patch) expect(await listed(harness, { q: 'tool', tag: 'mail', toolkit: 'Large' })).toBe(1_200)
      await harness.drain()
      expect(await listed(harness, { q: 'mail', toolkit: 'Large' })).toBe('tags' in patch ? 1_200 : 0)
      const last = documentOf(harness.registry, 'large.tool2199')
      const written = JSON.parse(harness.kv.values.get('tool/large.tool2199') ?? '')
      expect(written).toEqual(last)
      expect(written.toolkitDescription).toBe('description' in patch ? 'Sends mail' : undefined)
    }),
  )

  it('updates the first tools once for twenty changes of the tags that arrive together', () =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 400)
      const changeTags = (tag: string) => change(harness, { tags: [tag] }, ADMIN)
      const rowsOfOne = await rowsOf(harness.sql, () => changeTags('first'))
      await harness.drain()
      const tags = Array.from('abcdefghijklmnopqrst', (letter) => letter.repeat(4))
      const rowsOfTwenty = await rowsOf(harness.sql, () => Promise.all(tags.map(changeTags)))
      // Each of them reads the trust of 400 versions
      expect(rowsOfTwenty - 20 * 400).toBeLessThan(3 * rowsOfOne)
      await harness.drain()
      expect(await listed(harness, { q: 'tttt', toolkit: 'Kit' })).toBe(400)
      expect(await listed(harness, { q: 'ssss', toolkit: 'Kit' })).toBe(0)
    }))

  it.each([
    ['tags', { tags: ['mail'] }],
    ['description', { description: 'Sends mail' }],
    ['status', { status: { state: 'deprecated', message: 'Use another' } }],
  ] as const)('writes nothing and queues nothing if the toolkit has this value already: %s', (_, patch) =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 60)
      await change(harness, patch, ADMIN)
      await harness.drain()
      const revision = harness.registry.revision()
      const answer = await change(harness, patch, ADMIN)
      expect(answer).toMatchObject({ ok: true, revision, toolkit: patch })
      expect(harness.sql.exec('SELECT target FROM outbox').toArray()).toEqual([])
      expect(harness.registry.revision()).toBe(revision)
    }),
  )

  it('lets other requests run between changes that arrive together', () =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 60)
      const order: string[] = []
      const changes = ['a', 'b', 'c'].map(async (tag) => {
        await change(harness, { tags: [tag] }, ADMIN)
        order.push(tag)
      })
      const otherRequest = new Promise((done) => setTimeout(done, 0)).then(() => order.push('other'))
      await Promise.all([...changes, otherRequest])
      expect(order.indexOf('other')).toBeLessThan(order.indexOf('c'))
      expect(order.filter((each) => each !== 'other')).toEqual(['a', 'b', 'c'])
    }))

  it('queues the tools before all others if an administrator disables a toolkit while its publisher changes it', () =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 400)
      await change(harness, { status: { state: 'deprecated' } }, ADMIN)
      await harness.drain()
      await change(harness, { tags: ['a'] }, ADMIN)
      await change(harness, { status: { state: 'disabled' } }, ADMIN)
      await harness.runAlarm()
      const priorities = harness.sql.exec<{ priority: number }>(
        "SELECT DISTINCT priority FROM outbox WHERE target GLOB 'tool/*'",
      )
      expect(priorities.toArray().map(({ priority }) => priority)).not.toContain(10)
    }))

  it('takes one pass for twenty changes, of which the last one applies to all tools', () =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 300)
      const spy = vi.spyOn(harness.sql, 'exec')
      const countUpdates = () => spy.mock.calls.filter(([query]) => query.startsWith('UPDATE tool SET listed')).length
      for (let n = 0; n < 20; n += 1) await change(harness, { tags: [n < 19 ? `early${n}` : 'latest'] })
      expect(countUpdates()).toBe(50)
      await harness.drain()
      // The first 50 have the first change's value, so they are updated again
      expect(countUpdates()).toBe(350)
      expect(await listed(harness, { q: 'latest', toolkit: 'Kit' })).toBe(300)
      expect(await listed(harness, { q: 'early18', toolkit: 'Kit' })).toBe(0)
    }))

  it.each(['busy', 'quiet'])(
    'withdraws all tools of a disabled toolkit while another toolkit keeps changing: %s',
    (kit) =>
      inRegistry(async (harness) => {
        await fill(harness, 'Busy', 450)
        await fill(harness, 'Quiet', 450)
        await change(harness, { tags: ['first'] }, ADMIN, 'busy')
        await change(harness, { status: { state: 'disabled' } }, ADMIN, kit)
        for (let n = 0; n < 9; n += 1) {
          await change(harness, { tags: [`tag${n}`] }, ADMIN, 'busy')
          await harness.runAlarm()
        }
        const query = 'SELECT count(*) AS n FROM tool WHERE toolkit = ? COLLATE NOCASE AND listed IS NOT NULL'
        expect(harness.sql.exec<{ n: number }>(query, kit).one().n).toBe(0)
      }),
  )

  it('finishes a pass that an older deployment began', () =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 120)
      await change(harness, { tags: ['mail'] })
      const older = JSON.stringify({ after: 'kit.tool1050' })
      harness.sql.exec("UPDATE meta SET value = ? WHERE name = 'fan-out kit'", older)
      harness.restart()
      await harness.drain()
      expect(await listed(harness, { q: 'mail', toolkit: 'Kit' })).toBe(120)
    }))

  it('unlists all tools as soon as the toolkit is disabled, and continues after a crash', () =>
    inRegistry(async (harness) => {
      await fill(harness, 'Kit', 450)
      await change(harness, { status: { state: 'disabled' } })
      const { pages } = await harness.registry.manifest()
      expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(0)
      expect(documentOf(harness.registry, 'kit.tool1449').versions[0]?.status.state).toBe('disabled')
      // A second change starts over, and still withdraws the tools
      await change(harness, { tags: ['a'] })
      harness.restart()
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual([])
      expect(JSON.parse(harness.kv.values.get('tool/kit.tool1449') ?? '').versions[0].status.state).toBe('disabled')
      await change(harness, { status: { state: 'active' } })
      await harness.drain()
      expect(listedIn(harness.kv)).toHaveLength(450)
    }))
})

describe('the status of a version of a document', () => {
  it('changes other tools of the document only if that version defines them or leaves them out', () =>
    inRegistry(async (harness) => {
      const names = Array.from({ length: 100 }, (_, n) => `do_${n}`)
      for (const version of ['1.0.0', '1.1.0', '1.2.0'])
        await harness.registry.publish(
          [await documentPublication('kit', version, [...names, `only_${version.replaceAll('.', '_')}`])],
          ADMIN,
        )
      await harness.drain()
      const set = (version: string, tool = 'do_0') =>
        harness.registry.change({ toolkit: 'kit', tool }, version, { status: { state: 'yanked' } }, ADMIN)
      expect(await set('1.0.0')).toMatchObject({ keys: ['kit.do_0'] })
      for (const name of names.slice(1)) await set('1.2.0', name)
      await set('1.2.0', 'do_0')
      // No tool of the newest version is active now, so the version before it is the newest again
      const answer = await set('1.2.0', 'only_1_2_0')
      expect(answer?.ok && [...answer.keys].sort()).toEqual(['kit.only_1_1_0', 'kit.only_1_2_0'])
    }))
})

describe('the permission to change a toolkit', () => {
  it('belongs to those who may publish all of it, and an administrator can change its owner', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      const disabled = { status: { state: 'disabled' } } as const
      for (const as of [key('m', '*'), key('n', 'Kit.A')]) {
        expect(await change(harness, disabled, as)).toHaveProperty('failure.type', 'forbidden')
        expect(await change(harness, { tags: ['x'] }, as)).toHaveProperty('failure.type', 'forbidden')
        expect(await change(harness, 'delete', as)).toHaveProperty('failure.type', 'forbidden')
      }
      expect(await change(harness, { owner: 'key:m' }, ANN)).toHaveProperty('failure.type', 'forbidden')
      expect(await change(harness, { owner: 'key:m' })).toMatchObject({ toolkit: { owner: { principal: 'key:m' } } })
      expect(await change(harness, disabled, ANN)).toHaveProperty('failure.type', 'forbidden')
      expect(await change(harness, disabled, key('m', '*'))).toHaveProperty('toolkit')
      expect(await change(harness, disabled, ADMIN, 'nowhere')).toHaveProperty('failure.type', 'unknown')
    }))
})

describe('a toolkit that is deleted', () => {
  const gone = async (harness: Harness) => {
    await change(harness, { status: { state: 'disabled' } }, ANN)
    return change(harness, 'delete', ANN)
  }

  it('has no version that anyone may call', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await publish(harness, 'Kit.A@1.1.0')
      for (const state of ['active', 'deprecated', 'yanked'] as const) {
        await change(harness, { status: { state } }, ANN)
        expect(await change(harness, 'delete', ANN)).toEqual({
          ok: false,
          failure: {
            type: 'conflict',
            message: expect.stringContaining('PATCH /toolkits/kit and {"status": "disabled"}'),
          },
        })
      }
      expect(await gone(harness)).toMatchObject({ toolkit: { deleted: { at: Date.now() } } })
      expect(documentOf(harness.registry, 'kit.a')).toMatchObject({ isDeleted: true })
      expect(documentOf(harness.registry, 'kit.a')).not.toHaveProperty('newest')
      // Deleting again gives an administrator the same response, but others find nothing
      expect(await change(harness, 'delete')).toHaveProperty('toolkit')
      expect(await change(harness, 'delete', ANN)).toHaveProperty('failure.type', 'unknown')
    }))

  it('keeps its name reserved for 30 days, and an administrator can restore it', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await gone(harness)
      expect(await publish(harness, 'Kit.B@1.0.0', key('m', '*'))).toMatchObject({ failure: { type: 'forbidden' } })
      for (const as of [ANN, ADMIN]) {
        expect(await publish(harness, 'kit.B@1.0.0', as)).toMatchObject({ failure: { type: 'conflict' } })
      }
      expect(await change(harness, { owner: 'key:m', status: { state: 'active' } })).toHaveProperty(
        'failure.type',
        'conflict',
      )
      expect(await change(harness, { status: { state: 'active' } }, ANN)).toHaveProperty('failure.type', 'conflict')
      expect(
        await harness.registry.change({ toolkit: 'Kit', tool: 'A' }, '1.0.0', { trusted: true }, ADMIN),
      ).toHaveProperty('failure.type', 'conflict')
      expect(await change(harness, { status: { state: 'active' } })).toHaveProperty('toolkit')
      expect(documentOf(harness.registry, 'kit.a').newest?.id).toBe('Kit.A@1.0.0')
      expect(harness.registry.toolkit('Kit')).not.toHaveProperty('deleted')
    }))

  it('is removed after 30 days, from KV too, and anyone can then use its name', () =>
    inRegistry(async (harness) => {
      const { kv, registry } = harness
      await registry.publish([await documentPublication('kit', '1.0.0', ['Add', 'Sub'])], ANN)
      for (const each of await publications(0, 260)) await registry.publish([each], ANN)
      await registry.publish([await documentPublication('other', '1.0.0', ['Add'])], ANN)
      await publish(harness, 'Kit0.Again@1.0.0')
      const skill = { digest: 'sha256:1', manifest: '{}', files: '{}' }
      for (const digest of ['sha256:0', 'sha256:1'])
        await registry.publishSkill({ toolkit: 'Kit', name: 'how' }, { ...skill, digest }, ANN)
      await harness.drain()
      await harness.registry.findKeyByName('Kit_Add')
      await harness.drain()
      const under = (pattern: RegExp) => [...kv.values.keys()].filter((each) => pattern.test(each))
      expect(under(/^(tool\/kit\.|address\/machine-context\/kit$|name\/kit_add$)/).length).toBe(4)
      const digest = documentOf(registry, 'kit.add').versions[0]?.digest
      const kept = registry.value('record/' + digest)
      expect(kept).toBeDefined()
      await gone(harness)
      await harness.drain()
      expect(kv.values.get('tool/kit.add')).toContain('"isDeleted":true')
      // The alarm for the replaced pages runs first
      await harness.runAlarm()
      expect(registry.value('record/' + digest)).toBe(kept)
      await harness.runAlarm()
      expect(under(/^(tool\/kit\.|address\/machine-context\/kit$|name\/kit_add$)/)).toEqual([])
      expect(kv.values.has('record/' + digest)).toBe(false)
      expect(registry.value('record/' + digest)).toBeUndefined()
      expect(registry.toolkit('kit')).toBeUndefined()
      expect(await registry.findKeyByName('Kit_Add')).toBeUndefined()
      expect(kv.values.has('address/machine-context/other')).toBe(true)
      expect(documentOf(registry, 'kit0.again').newest?.id).toBe('Kit0.Again@1.0.0')
      expect(await publish(harness, 'Kit.Add@1.0.0', key('m', '*'))).toMatchObject({ outcome: 'created' })
      const again = await registry.publishSkill({ toolkit: 'Kit', name: 'how' }, skill, key('m', '*'))
      expect(again).toMatchObject({ version: 1, isNew: true })
      await harness.drain()
      expect(JSON.parse(kv.values.get('tool/kit.add') ?? '').newest.id).toBe('Kit.Add@1.0.0')
    }))

  it('belongs to the deployment once that bundles tools with its name', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await gone(harness)
      await change(harness, { status: { state: 'active' } })
      await change(harness, { status: { state: 'disabled' } })
      await change(harness, 'delete')
      await harness.registry.installBundle('b1', 0, (await publication('Kit.Do@1.0.0')).records)
      expect(harness.registry.toolkit('kit')).toMatchObject({ owner: 'deployment', isBundled: true })
      expect(harness.registry.toolkit('kit')).not.toHaveProperty('deleted')
    }))
})

describe('a toolkit that requires review', () => {
  const status = async ({ registry }: Harness, version: string, state: ToolStatus, as: Principal) =>
    await registry.change({ toolkit: 'Kit', tool: 'A' }, version, { status: state }, as)
  const ACTIVE = { state: 'active' } as const
  const DISABLED = { state: 'disabled' } as const

  it('holds as pending what anyone but an administrator publishes, and lists it only once it is active', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      expect(await change(harness, { review: true }, ANN)).toMatchObject({ toolkit: { review: true } })
      expect(await publish(harness, 'Kit.A@1.1.0')).toEqual({
        ok: true,
        outcome: 'created',
        ids: ['Kit.A@1.1.0'],
        pending: ['Kit.A@1.1.0'],
        warnings: [{ path: '', message: expect.stringContaining("'Kit.A@1.1.0' is pending") }],
      })
      expect(await publish(harness, 'Kit.A@1.1.0')).toMatchObject({ outcome: 'unchanged', pending: ['Kit.A@1.1.0'] })
      expect(await publish(harness, 'Kit.New@1.0.0', OPERATOR)).toMatchObject({ pending: ['Kit.New@1.0.0'] })
      expect(await publish(harness, 'Kit.Own@1.0.0', ADMIN)).not.toHaveProperty('pending')
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual(['kit.a', 'kit.own'])
      expect(documentOf(harness.registry, 'kit.a').newest?.version).toBe('1.0.0')
      expect(await status(harness, '1.1.0', ACTIVE, ADMIN)).toHaveProperty('document')
      await harness.drain()
      expect(documentOf(harness.registry, 'kit.a').newest?.version).toBe('1.1.0')
    }))

  it('is reviewed by administrators, and by its owner if someone else published', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await change(harness, { review: true }, ANN)
      await publish(harness, 'Kit.A@1.1.0', ANN)
      await publish(harness, 'Kit.A@1.2.0', OPERATOR)
      for (const state of ['active', 'deprecated', 'yanked', 'disabled'] as const) {
        expect(await status(harness, '1.1.0', { state }, ANN)).toHaveProperty('failure.type', 'forbidden')
        expect(await status(harness, '1.1.0', { state }, OPERATOR)).toHaveProperty('failure.type', 'forbidden')
        expect(await status(harness, '1.2.0', { state }, OPERATOR)).toHaveProperty('failure.type', 'forbidden')
      }
      // Nor do others learn that the version exists
      expect(await status(harness, '1.2.0', ACTIVE, key('eve', '*'))).toHaveProperty('failure.type', 'unknown')
      expect(await status(harness, '1.2.0', ACTIVE, ANN)).toHaveProperty('document')
      // A reviewed version is like any other
      expect(await status(harness, '1.2.0', DISABLED, OPERATOR)).toHaveProperty('document')
      expect(await status(harness, '1.2.0', ACTIVE, OPERATOR)).toHaveProperty('document')
    }))

  it('lets no publisher enable a version that was refused', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await change(harness, { review: true }, ANN)
      await publish(harness, 'Kit.A@1.2.0', OPERATOR)
      expect(await status(harness, '1.2.0', DISABLED, ANN)).toHaveProperty('document')
      expect(await status(harness, '1.2.0', ACTIVE, OPERATOR)).toHaveProperty('failure.type', 'forbidden')
      expect(await status(harness, '1.2.0', ACTIVE, ANN)).toHaveProperty('document')
    }))

  it('keeps a version pending, as if it did not exist, through changes of its status', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      await change(harness, { review: true })
      await change(harness, { status: DISABLED }, ANN)
      await publish(harness, 'Kit.A@1.1.0')
      expect(statusesOf(harness, 'kit.a')).toEqual([
        ['1.0.0', 'disabled'],
        ['1.1.0', 'pending'],
      ])
      await change(harness, { status: ACTIVE }, ANN)
      expect(statusesOf(harness, 'kit.a')).toEqual([
        ['1.0.0', 'active'],
        ['1.1.0', 'pending'],
      ])
    }))

  it('is released from review or deleted only by an administrator; pending versions stay pending', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.A@1.0.0')
      expect(await change(harness, { review: false }, ANN)).toMatchObject({ toolkit: { review: false } })
      expect(await change(harness, { review: true }, key('eve', '*'))).toHaveProperty('failure.type', 'forbidden')
      await change(harness, { review: true }, ANN)
      await publish(harness, 'Kit.A@1.1.0')
      expect(await change(harness, { review: false }, ANN)).toHaveProperty('failure.type', 'forbidden')
      await change(harness, { status: DISABLED }, ANN)
      expect(await change(harness, 'delete', ANN)).toHaveProperty('failure.type', 'forbidden')
      expect(await change(harness, 'delete', ADMIN)).toMatchObject({ toolkit: { deleted: expect.anything() } })
      await change(harness, { status: ACTIVE, review: false })
      expect(statusesOf(harness, 'kit.a')[1]).toEqual(['1.1.0', 'pending'])
      expect(await publish(harness, 'Kit.A@1.2.0')).not.toHaveProperty('pending')
    }))

  it('takes bundled tools without review, even in place of a pending version', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Kit.Other@1.0.0')
      await change(harness, { review: true })
      await publish(harness, 'Kit.A@1.0.0', ANN, { tags: ['mine'] })
      expect(statusesOf(harness, 'kit.a')).toEqual([['1.0.0', 'pending']])
      await harness.registry.installBundle('b1', 0, (await publication('Kit.A@1.0.0')).records)
      expect(statusesOf(harness, 'kit.a')).toEqual([['1.0.0', 'active']])
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual(['kit.a', 'kit.other'])
    }))

  it('can be any that the pattern of a policy covers', () =>
    inRegistry(async (harness) => {
      await harness.registry.putPolicy({ pattern: '*.A', review: true })
      expect(await publish(harness, 'KIT.A@1.0.0')).toMatchObject({ pending: ['KIT.A@1.0.0'] })
      expect(await publish(harness, 'KIT.B@1.0.0')).not.toHaveProperty('pending')
      await harness.registry.removePolicy('*.A')
      expect(await publish(harness, 'KIT.A@1.1.0')).not.toHaveProperty('pending')
    }))

  it('keeps a tool of a document until the version that leaves it out is active', () =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await registry.publish([await documentPublication('kit', '1.0.0', ['A', 'B'])], ANN)
      await change(harness, { review: true })
      const { published } = await registry.publish([await documentPublication('kit', '2.0.0', ['A'])], ANN)
      expect(published[0]).toMatchObject({ outcome: 'created', pending: ['kit.A@2.0.0'] })
      expect(published[0]).not.toHaveProperty('leftOut')
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual(['kit.a', 'kit.b'])
      await registry.change({ toolkit: 'kit', tool: 'A' }, '2.0.0', { status: ACTIVE }, ADMIN)
      await harness.drain()
      expect(listedIn(harness.kv)).toEqual(['kit.a'])
    }))
})
