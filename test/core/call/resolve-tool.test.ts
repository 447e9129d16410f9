import { describe, expect, it } from 'vitest'
import { createCacheMemory } from '../../../src/core/cache/swr-cache.ts'
import { createResolver } from '../../../src/core/call/resolve-tool.ts'
import type { ToolName } from '../../../src/core/tool/tool-id.ts'
import { toDocumentRef, toIdRef, toNameRef, type ToolRef } from '../../../src/core/tool/tool-ref.ts'
import type { DocumentAddress, ToolSource } from '../../../src/core/tool/tool-source.ts'
import type { ToolEntry, ToolRecord } from '../../../src/core/tool/tool.ts'
import type { ToolStatus } from '../../../src/core/tool/version.ts'
import { callableOf, PUBLISHER, recordWith } from './fakes.ts'

type Versions = Readonly<Record<string, ToolStatus['state']>>

const recordAt = (version: string): ToolRecord => ({
  ...recordWith({}),
  version,
  id: `Example.Tool@${version}`,
  digest: `of ${version}`,
})

/** Creates the entry of `Example.Tool` with these versions, and the record of `newest` if it is set. */
function documentOf(versions: Versions, newest?: string): ToolEntry {
  return {
    toolkit: 'Example',
    tool: 'Tool',
    versions: Object.entries(versions).map(([version, state]) => ({
      version,
      digest: `of ${version}`,
      status: { state },
      publisher: PUBLISHER,
    })),
    ...(newest === undefined ? {} : { newest: recordAt(newest) }),
  }
}

interface Stored {
  /** The contents of the quick source and of the registry; by default, the same. */
  quick?: ToolEntry | undefined
  current?: ToolEntry | readonly string[]
  names?: Readonly<Record<string, ToolName>>
  documents?: Readonly<Record<string, DocumentAddress>>
  without?: readonly string[]
}

function setUp(stored: Stored = {}) {
  const reads: string[] = []
  const made: string[] = []
  const behind: Promise<unknown>[] = []
  const clock = { now: 0 }
  const text = ({ toolkit, tool }: ToolName) => `${toolkit}.${tool}`
  const source: ToolSource = {
    async loadTool(name) {
      reads.push(`document ${text(name)}`)
      return stored.quick
    },
    async loadCurrent() {
      throw new Error('Not asked by calls')
    },
    async loadRecord(digest) {
      reads.push(`record ${digest}`)
      const version = digest.slice('of '.length)
      return stored.without?.includes(version) ? undefined : recordAt(version)
    },
    async findByName(name) {
      reads.push(`named ${name}`)
      return stored.names?.[name]
    },
    async findDocumentAddress(dialect, id) {
      reads.push(`addressed ${dialect} ${id}`)
      return stored.documents?.[id]
    },
    hasToolkit: async () => false,
    attachDocument: async (record) => record,
    suggestIds: async () => ['Near.By'],
    async loadCurrentOrSuggest(name) {
      reads.push(`current ${text(name)}`)
      const current = stored.current ?? stored.quick ?? []
      return 'versions' in current ? { entry: current } : { suggestions: current }
    },
  }
  const resolver = createResolver({
    memory: createCacheMemory(1_000_000),
    source,
    makeCallable(record) {
      made.push(record.id)
      return callableOf(record, () => ({ ok: true, value: 1 }))
    },
    now: () => clock.now,
  })
  return {
    stored,
    reads,
    made,
    behind,
    clock,
    forget: resolver.invalidate,
    /** Resolves a reference; returns a promise if something had to be read. */
    resolve: (ref: ToolRef | string) =>
      resolver.resolve(typeof ref === 'string' ? toIdRef(ref) : ref, (work) => void behind.push(work)),
    /** Returns a short form of the result, and the reads that it took. */
    async short(ref: ToolRef | string) {
      const before = reads.length
      const resolved = await resolver.resolve(
        typeof ref === 'string' ? toIdRef(ref) : ref,
        (work) => void behind.push(work),
      )
      const came = resolved.ok ? `${resolved.tool.record.id} ${resolved.status.state}` : resolved.failure
      return [came, ...reads.slice(before)]
    },
  }
}

const SOME: Versions = { '1.0.0': 'active', '1.2.0': 'active', '2.0.0': 'yanked', '0.9.0': 'deprecated' }

it.each([
  ['Example.Tool', 'Example.Tool@1.2.0 active'],
  ['Example.Tool@latest', 'Example.Tool@1.2.0 active'],
  ['Example.Tool@1', 'Example.Tool@1.0.0 active'],
  ['Example.Tool@1.0.0', 'Example.Tool@1.0.0 active'],
  ['Example.Tool@~1.0', 'Example.Tool@1.0.0 active'],
  ['Example.Tool@^1', 'Example.Tool@1.2.0 active'],
  ['Example.Tool@2.0.0', 'Example.Tool@2.0.0 yanked'],
  ['Example.Tool@0.9.0', 'Example.Tool@0.9.0 deprecated'],
])('the id %s resolves to %s', async (asked, came) => {
  const { short } = setUp({ quick: documentOf(SOME, '1.2.0') })
  const version = came.slice('Example.Tool@'.length).split(' ')[0]
  const record = version === '1.2.0' ? [] : [`record of ${version}`]
  expect(await short(asked)).toEqual([came, 'document Example.Tool', ...record])
})

it.each(['', 'Tool', 'Example.Tool@', 'Example.Tool@no version', 'a b.c'])(
  'an invalid id, such as %j, is not looked up',
  async (asked) => {
    expect(await setUp().short(asked)).toEqual([{ type: 'id-malformed', ref: asked }])
  },
)

it('an id of a disabled version reports that', async () => {
  const { short } = setUp({ quick: documentOf({ '1.0.0': 'disabled' }) })
  expect(await short('Example.Tool@1')).toEqual([
    { type: 'tool-disabled', id: 'Example.Tool@1.0.0' },
    'document Example.Tool',
  ])
})

it('an id of a tool whose versions are all disabled reports that, with the last reason', async () => {
  const document = documentOf({ '1.0.0': 'disabled', '1.1.0': 'disabled' })
  const versions = document.versions.map((each) => ({ ...each, status: { ...each.status, message: 'INC-7' } }))
  const { short } = setUp({ quick: { ...document, versions } })
  const off = { type: 'tool-disabled', id: 'Example.Tool', detail: 'INC-7' }
  for (const asked of ['Example.Tool', 'Example.Tool@^1']) expect((await short(asked))[0]).toEqual(off)
  expect((await short('Example.Tool@1.1.0'))[0]).toEqual({ ...off, id: 'Example.Tool@1.1.0' })
})

it('an id of a pending version counts as missing, as does a tool with only pending versions', async () => {
  const some = documentOf({ '1.0.0': 'active', '1.1.0': 'pending' }, '1.0.0')
  const { short } = setUp({ quick: some, current: some })
  expect((await short('Example.Tool'))[0]).toBe('Example.Tool@1.0.0 active')
  for (const selector of ['1.1.0', '~1.1', '1.9.0']) {
    expect((await short(`Example.Tool@${selector}`))[0]).toMatchObject({
      type: 'version-unavailable',
      range: selector,
      available: ['1.0.0'],
    })
  }
  const alone = documentOf({ '1.0.0': 'pending' })
  const hidden = setUp({ quick: alone, current: alone })
  for (const asked of ['Example.Tool', 'Example.Tool@1.0.0', 'Example.Tool@1']) {
    expect((await hidden.short(asked))[0]).toMatchObject({ type: 'tool-unknown', ref: asked })
  }
})

it('an id that the quick source does not know is looked up in the registry', async () => {
  const unknown = setUp({ quick: undefined, current: documentOf({ '1.0.0': 'active' }, '1.0.0') })
  expect(await unknown.short('Example.Tool')).toEqual([
    'Example.Tool@1.0.0 active',
    'document Example.Tool',
    'current Example.Tool',
  ])
  const newer = setUp({ quick: documentOf({ '1.0.0': 'active' }), current: documentOf(SOME) })
  expect(await newer.short('Example.Tool@1.2.0')).toEqual([
    'Example.Tool@1.2.0 active',
    'document Example.Tool',
    'current Example.Tool',
    'record of 1.2.0',
  ])
})

it('an id of an unknown tool returns similar names', async () => {
  const near = ['Example.Tools', 'Examples.Tool']
  expect(await setUp({ current: near }).short('Example.Tool@1')).toEqual([
    { type: 'tool-unknown', ref: 'Example.Tool@1', suggestions: ['Example.Tools', 'Examples.Tool'] },
    'document Example.Tool',
    'current Example.Tool',
  ])
})

it('an id of a missing version lists the existing ones', async () => {
  const { short } = setUp({ quick: documentOf({ ...SOME, '3.0.0': 'disabled' }, '1.2.0') })
  const unavailable = {
    type: 'version-unavailable',
    tool: 'Example.Tool',
    name: 'Example_Tool',
    available: ['1.0.0', '1.2.0'],
  }
  expect((await short('Example.Tool@^5'))[0]).toEqual({ ...unavailable, range: '^5' })
  const none = setUp({ quick: documentOf({ '2.0.0': 'yanked' }) })
  expect((await none.short('Example.Tool'))[0]).toEqual({
    ...unavailable,
    name: 'Example.Tool',
    range: 'latest',
    available: [],
    yanked: { version: '2.0.0' },
  })
})

it('an id that matches only yanked versions names the one that it would match', async () => {
  const { short } = setUp({ quick: documentOf({ '1.0.0': 'yanked', '1.1.0': 'yanked', '2.0.0': 'active' }, '2.0.0') })
  expect((await short('Example.Tool@^1'))[0]).toMatchObject({ available: ['2.0.0'], yanked: { version: '1.1.0' } })
  expect((await short('Example.Tool@^3'))[0]).toMatchObject({ yanked: undefined })
})

it('an id of a version whose record is lost is unavailable', async () => {
  const { short } = setUp({ quick: documentOf({ '1.0.0': 'active' }), without: ['1.0.0'] })
  expect(await short('Example.Tool')).toEqual([
    expect.objectContaining({ type: 'version-unavailable' }),
    'document Example.Tool',
    'record of 1.0.0',
    'current Example.Tool',
    'record of 1.0.0',
  ])
})

const names = { Short: { toolkit: 'Example', tool: 'Tool' } }

it('a name resolves to its tool, in the requested version', async () => {
  const { short } = setUp({ quick: documentOf(SOME, '1.2.0'), names })
  expect(await short(toNameRef('Short'))).toEqual(['Example.Tool@1.2.0 active', 'named Short', 'document Example.Tool'])
  expect(await short(toNameRef('Short', '1'))).toEqual([
    'Example.Tool@1.0.0 active',
    'named Short',
    'document Example.Tool',
    'record of 1.0.0',
  ])
})

it('a name that no tool has is unknown, without suggestions', async () => {
  expect(await setUp({ quick: documentOf(SOME), names }).short(toNameRef('Other', '1'))).toEqual([
    { type: 'tool-unknown', ref: 'Other', suggestions: [] },
    'named Other',
  ])
})

it('a name with an invalid version is malformed', async () => {
  expect(await setUp({ names }).short(toNameRef('Short', 'no version'))).toEqual([
    { type: 'id-malformed', ref: 'Short@no version' },
    'named Short',
  ])
})

describe('a resolution', () => {
  const version = async (resolved: ReturnType<ReturnType<typeof setUp>['resolve']>) => {
    const answer = await resolved
    return answer.ok ? answer.tool.record.version : answer.failure.type
  }

  it('a resolution is returned at once while it is fresh, without a promise', async () => {
    const { resolve, reads, clock, behind } = setUp({ quick: documentOf(SOME, '1.2.0') })
    const first = await resolve('Example.Tool')
    clock.now = 4_999
    expect(resolve('Example.Tool')).toBe(first)
    expect(reads).toEqual(['document Example.Tool'])
    expect(behind).toEqual([])
  })

  it('a resolution is returned, and refreshed in the background, until it is stale', async () => {
    const { resolve, stored, reads, clock, behind } = setUp({ quick: documentOf(SOME, '1.2.0') })
    const first = await resolve('Example.Tool')
    stored.quick = documentOf({ ...SOME, '1.3.0': 'active' }, '1.3.0')
    clock.now = 5_000
    expect(resolve('Example.Tool')).toBe(first)
    // One lookup is enough
    expect(resolve('Example.Tool')).toBe(first)
    expect(behind).toHaveLength(1)
    await Promise.all(behind)
    expect(reads).toHaveLength(2)
    expect(resolve('Example.Tool')).not.toBeInstanceOf(Promise)
    expect(await version(resolve('Example.Tool'))).toBe('1.3.0')
    expect(behind).toHaveLength(1)
  })

  it('a resolution is refreshed once every five seconds while that fails', async () => {
    const { resolve, stored, clock, behind } = setUp({ quick: documentOf(SOME, '1.2.0') })
    const first = await resolve('Example.Tool')
    Object.defineProperty(stored, 'quick', {
      get() {
        throw new Error('Storage')
      },
    })
    for (const [at, lookUps] of [
      [5_000, 1],
      [9_999, 1],
      [10_000, 2],
      [24_999, 3],
    ] as const) {
      clock.now = at
      expect(resolve('Example.Tool')).toBe(first)
      expect(behind).toHaveLength(lookUps)
    }
    for (const work of behind) await expect(work).rejects.toThrow('Storage')
    // Never older than 25 seconds
    clock.now = 25_000
    await expect(resolve('Example.Tool')).rejects.toThrow('Storage')
    expect(behind).toHaveLength(3)
  })

  it('a resolution is awaited once it is stale', async () => {
    const { resolve, stored, clock, behind } = setUp({ quick: documentOf(SOME, '1.2.0') })
    await resolve('Example.Tool')
    stored.quick = documentOf({ '3.0.0': 'active' }, '3.0.0')
    clock.now = 25_000
    expect(await version(resolve('Example.Tool'))).toBe('3.0.0')
    expect(behind).toEqual([])
  })

  it('a resolution to a missing tool is cached for two seconds', async () => {
    const { resolve, stored, reads, clock, behind } = setUp({ current: [] })
    const first = await resolve('Example.Tool')
    stored.current = documentOf(SOME, '1.2.0')
    clock.now = 1_999
    expect(resolve('Example.Tool')).toBe(first)
    expect(reads).toHaveLength(2)
    clock.now = 2_000
    expect(await version(resolve('Example.Tool'))).toBe('1.2.0')
    expect(behind).toEqual([])
  })

  it('a resolution that failed is not cached', async () => {
    const { resolve, stored, clock } = setUp({ quick: documentOf(SOME, '1.2.0') })
    const { quick } = stored
    stored.current = ['A.B']
    delete stored.quick
    stored.names = {
      get Short(): ToolName {
        throw new Error('Storage')
      },
    }
    await expect(resolve(toNameRef('Short'))).rejects.toThrow('Storage')
    stored.names = { Short: { toolkit: 'Example', tool: 'Tool' } }
    stored.quick = quick
    clock.now = 1
    expect(await version(resolve(toNameRef('Short')))).toBe('1.2.0')
  })

  it('a resolution is invalidated after a change', async () => {
    const { resolve, stored, forget } = setUp({ quick: documentOf(SOME, '1.2.0') })
    await resolve('Example.Tool')
    stored.quick = documentOf({ '3.0.0': 'active' }, '3.0.0')
    forget()
    expect(resolve('Example.Tool')).toBeInstanceOf(Promise)
    expect(await version(resolve('Example.Tool'))).toBe('3.0.0')
  })

  it('a resolution that started before a change is returned once, and not cached', async () => {
    const { resolve, stored, forget, reads } = setUp({ quick: documentOf(SOME, '1.2.0') })
    const begun = resolve('Example.Tool')
    stored.quick = documentOf({ '3.0.0': 'active' }, '3.0.0')
    forget()
    expect(await version(begun)).toBe('1.2.0')
    expect(await version(resolve('Example.Tool'))).toBe('3.0.0')
    expect(reads).toEqual(['document Example.Tool', 'document Example.Tool'])
    expect(resolve('Example.Tool')).not.toBeInstanceOf(Promise)
  })
})

it('a tool is made callable once, however it is requested', async () => {
  const { resolve, made, reads, forget } = setUp({ quick: documentOf(SOME, '1.2.0') })
  const answers = [await resolve('Example.Tool'), await resolve('Example.Tool@^1'), await resolve('example.tool')]
  forget()
  answers.push(await resolve('Example.Tool'))
  expect(made).toEqual(['Example.Tool@1.2.0'])
  expect(new Set(answers.map((answer) => answer.ok && answer.tool)).size).toBe(1)
  expect(reads.filter((read) => read.startsWith('record'))).toEqual([])
})

describe('a source name in a document', () => {
  const asked = (id: string, tool: string, range?: string) => toDocumentRef({ dialect: 'd', id, tool, range })
  const documents = { 'x y': { id: 'x y', toolkit: 'Example', tools: { 'do it': 'Tool' } } }

  it("a source name in a document resolves to the document's tool, in the requested version", async () => {
    const { short } = setUp({ quick: documentOf(SOME, '1.2.0'), documents })
    expect(await short(asked('x y', 'do it'))).toEqual([
      'Example.Tool@1.2.0 active',
      'addressed d x y',
      'document Example.Tool',
    ])
    expect((await short(asked('x y', 'do it', '1.0.0')))[0]).toBe('Example.Tool@1.0.0 active')
    // Immediately, if it was looked up a moment ago
    expect(await short(asked('x y', 'do it'))).toEqual(['Example.Tool@1.2.0 active'])
  })

  it('a source name in a document resolves to the tool of that toolkit and name if there is no such document', async () => {
    const { short } = setUp({ quick: documentOf(SOME, '1.2.0'), documents })
    expect((await short(asked('Example', 'Tool')))[0]).toBe('Example.Tool@1.2.0 active')
  })

  it('a source name in a document is otherwise unknown', async () => {
    const { short } = setUp({ quick: documentOf(SOME, '1.2.0'), documents })
    for (const [id, tool] of [
      ['x y', 'Tool'],
      ['x y', 'constructor'],
      ['z.z', 'do it'],
    ] as const) {
      const [failure] = await short(asked(id, tool))
      expect(failure).toEqual({ type: 'tool-unknown', ref: `${id}.${tool}`, suggestions: [] })
    }
    expect((await short(asked('x y', 'do it', 'no range')))[0]).toMatchObject({ type: 'id-malformed' })
  })
})
