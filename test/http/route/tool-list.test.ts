import { describe, expect, it, vi } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type { Catalog, ListQuery } from '../../../src/core/catalog/catalog.ts'
import { type Failure, fail, ok, UnreachableError } from '../../../src/core/failure/failure.ts'
import { optional, string } from '../../../src/core/tool/json-reader.ts'
import { defineQuery } from '../../../src/http/request/query.ts'
import { findOperation } from '../../../src/http/route/operation.ts'
import {
  respondWithToolList,
  type ToolList,
  createFullList,
  createFullListRoute,
} from '../../../src/http/route/tool-list.ts'
import { findUnknownAmong, explainEmptyList } from '../../../src/http/response/why-empty.ts'
import { sha256 } from '../../dialects/machine-context/fakes.ts'
import { authorizerFor } from '../authorizer-for.ts'

const FORBIDDEN = { type: 'forbidden', reason: 'no' } as const
const WRONG = { type: 'request-malformed', message: 'Wrong query' } as const
const respond = (failure: Failure) => Response.json(failure, { status: 400 })
const KEY: Principal = { id: 'key:a', kind: 'key', scopes: ['tools:read'], tools: ['Kit.*'], users: [] }

interface Given {
  readonly caller?: Principal | Failure
  readonly state?: string
  readonly method?: string
  readonly held?: string
  readonly list?: Partial<ToolList>
}

/** Answers a request for a list, whose text is `[1]`, and counts how often it was written. */
async function answer({ caller = KEY, state = 'e', method = 'GET', held, list = {} }: Given = {}) {
  const write = vi.fn(async () => ok({ text: '[1]', isEmpty: false }))
  const raw = new Request('https://sb.example/tools', { method, headers: held ? { 'if-none-match': held } : {} })
  const c = { req: { raw }, executionCtx: { waitUntil: () => undefined } }
  const catalog: Catalog = {
    etag: async () => state,
    list: async () => undefined,
    suggestNames: async () => [],
    findUnknownName: async ([name = '']) => (name === 'Kti' ? { name, known: ['Kit'], isNear: true } : undefined),
  }
  const read = vi.fn(() => ok({ variant: ['x'], write, ...list }))
  const response = await respondWithToolList(c, { authorize: authorizerFor(caller), catalog, sha256 }, read, respond)
  const { status, headers } = response
  return { status, headers, text: await response.text(), write, read, etag: headers.get('etag') ?? '' }
}

describe('a list', () => {
  it('is JSON with an entity tag, which no shared cache may store', async () => {
    const { status, text, headers, etag } = await answer({ list: { headers: { 'oxp-version': '1.0' } } })
    expect({ status, text }).toEqual({ status: 200, text: '[1]' })
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(Object.fromEntries(headers)).toEqual({
      'cache-control': 'private, no-cache',
      'content-type': 'application/json',
      etag,
      'oxp-version': '1.0',
      'vary': 'Authorization, OXP-API-Key, OXP-Version',
    })
  })

  it('rejects a caller before it reads the query', async () => {
    const { text, read } = await answer({ caller: FORBIDDEN })
    expect(JSON.parse(text)).toEqual(FORBIDDEN)
    expect(read).not.toHaveBeenCalled()
    expect((await answer({ caller: { ...KEY, scopes: ['tools:call'] } })).status).toBe(400)
  })

  it('fails for an invalid query, and for a list that cannot be encoded', async () => {
    expect((await answer({ list: { write: async () => fail(WRONG) } })).text).toBe(JSON.stringify(WRONG))
    const unnamed = await answer({ list: { variant: undefined, write: async () => fail(WRONG) } })
    expect(unnamed.text).toBe(JSON.stringify(WRONG))
  })
})

describe('a list that is empty', () => {
  const empty = (listFilter: ToolList['listFilter'], isEmpty = true) =>
    answer({ list: { write: async () => ok({ text: '[]', isEmpty }), ...(listFilter ? { listFilter } : {}) } })

  it.each([
    [
      'is of a toolkit that there is none of',
      { toolkit: 'Kti' },
      "There is no toolkit 'Kti' here: did you mean 'Kit'?",
    ],
    ['is searched there', { toolkit: 'Kti', isSearch: true }, "There is no toolkit 'Kti' here: did you mean 'Kit'?"],
    ['is of a tag that no tool has', { tag: 'Ünused' }, 'There is no tool with that tag here'],
    [
      'is of a tag that no tool of a toolkit has',
      { toolkit: 'Kit', tag: 'x' },
      "There is no tool with that tag in 'Kit'",
    ],
    [
      'is of a toolkit whose tools it does not show',
      { toolkit: 'Kit' },
      "No tool of 'Kit' is shown here: GET /tools?toolkit=Kit&versions=all lists all that there are",
    ],
  ])('has a note with the reason when it %s', async (_, listFilter, note) => {
    const { status, text, headers } = await empty(listFilter)
    expect({ status, text, note: headers.get('switchboard-note') }).toEqual({ status: 200, text: '[]', note })
  })

  it.each([
    ['tools:publish', "No tool of 'Kti' is active: GET /tools?toolkit=Kti&status=disabled lists the disabled ones"],
    ['tools:read', "There is no toolkit 'Kti' here"],
  ] as const)('reveals only to those who may change it that it is disabled: %s', async (scope, note) => {
    const catalog: Catalog = {
      etag: async () => 'e',
      list: async ({ status }) => ({ lines: status === 'disabled' ? ['Kti_A'] : [] }),
      findUnknownName: async ([name = '']) => ({ name, known: [], isNear: false }),
      suggestNames: async () => [],
    }
    const caller: Principal = { ...KEY, scopes: [scope] }
    expect(await explainEmptyList({ toolkit: 'Kti' }, caller, catalog)).toEqual({ 'switchboard-note': note })
  })

  it('has no note if the reason is obvious, or if the list has tools', async () => {
    const all = [await empty({ toolkit: 'Kit', isSearch: true }), await empty({}), await empty(undefined)]
    all.push(await empty({ toolkit: 'Kti' }, false))
    expect(all.map(({ headers }) => headers.get('switchboard-note'))).toEqual(all.map(() => null))
  })
})

describe('the entity tag of a list', () => {
  it('differs between catalogs, callers and variants', async () => {
    const tags = await Promise.all(
      [
        {},
        { state: 'f' },
        { caller: { ...KEY, id: 'key:b' } },
        { caller: { ...KEY, kind: 'jwt' as const } },
        { caller: { ...KEY, tools: ['Kit.A', 'Kit.B'] } },
        { list: { variant: ['y'] } },
        { list: { variant: ['x', 'y'] } },
        { list: { variant: undefined } },
      ].map(async (given) => (await answer(given)).etag),
    )
    expect(new Set(tags).size).toBe(tags.length)
    expect((await answer()).etag).toBe(tags[0])
  })

  it.each(['GET', 'HEAD'])('makes %s of a list that the caller has respond 304', async (method) => {
    const { etag } = await answer()
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await answer({ method, held })
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toContain('private')
      expect(again.write).not.toHaveBeenCalled()
    }
    expect((await answer({ method, held: '"other"' })).status).toBe(200)
  })

  it('is ignored in a POST', async () => {
    const { etag } = await answer()
    expect(await answer({ method: 'POST', held: etag })).toMatchObject({ status: 200, text: '[1]', etag })
  })

  it('is that of the catalog that the list is from, which may be an earlier one', async () => {
    const write = async () => ok({ text: '[1]', isEmpty: false, etag: 'earlier' })
    const { etag } = await answer({ state: 'now', list: { write } })
    expect(etag).toBe((await answer({ state: 'earlier' })).etag)
    expect((await answer({ state: 'now', held: etag, list: { write } })).status).toBe(200)
  })

  it('covers the text of a list without a variant', async () => {
    const list = { variant: undefined }
    const { etag } = await answer({ list })
    expect((await answer({ list, state: 'f', caller: ADMIN })).etag).toBe(etag)
    expect((await answer({ list: { ...list, write: async () => ok({ text: '[2]', isEmpty: false }) } })).etag).not.toBe(
      etag,
    )
    expect(await answer({ list, held: etag })).toMatchObject({ status: 304, text: '' })
  })
})

describe('a full list', () => {
  const join = (lines: readonly string[]) => lines.join('|')
  const write = (catalog: Catalog, given = {}) =>
    createFullList(catalog, { format: { name: 'stored' }, join, tooMany: WRONG }, given).write(KEY, {
      growAnswer: async () => true,
    })

  function catalogueOf(...pages: (readonly string[])[]) {
    const asked: ListQuery[] = []
    const catalog: Catalog = {
      etag: async () => 'e',
      suggestNames: async () => [],
      async findUnknownName([name = '']) {
        return name === 'Kti' ? { name, known: ['Kit', 'Kat'], isNear: true } : undefined
      },
      async list(query) {
        const at = Number(query.cursor ?? 0)
        asked.push(query)
        return { lines: pages[at] ?? [], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) }
      },
    }
    return { catalog, asked }
  }

  it('has the lines of every page, without the empty ones', async () => {
    const { catalog, asked } = catalogueOf(['a', ''], [], ['b'])
    expect(await write(catalog, { toolkit: 'Kit' })).toEqual(ok({ text: 'a|b', isEmpty: false }))
    expect(asked).toEqual(
      [undefined, '1', '2'].map((cursor) => ({ toolkit: 'Kit', versions: 'newest', limit: 1_000, cursor })),
    )
  })

  it('has the entity tag of the catalog that all its pages are from, or a tag that no catalog has', async () => {
    const { catalog } = catalogueOf(['a'], ['b'], ['c'])
    for (const [tags, tag] of [
      [['e', 'e', 'e'], 'e'],
      [['e', 'f', 'f'], 'e,f'],
      [[], undefined],
    ] as const) {
      const list: Catalog['list'] = async (query, ...rest) => {
        const listing = await catalog.list(query, ...rest)
        return listing && { ...listing, etag: tags[Number(query.cursor ?? 0)] }
      }
      expect(await write({ ...catalog, list })).toEqual(ok({ text: 'a|b|c', isEmpty: false, etag: tag }))
    }
  })

  it('of an agent is refused for an unknown toolkit, with similar names', async () => {
    const { catalog } = catalogueOf(['a'])
    expect(await findUnknownAmong(['Kit'], KEY, catalog)).toBeUndefined()
    expect(await findUnknownAmong(['Kti'], KEY, catalog)).toBe(
      "There is no toolkit 'Kti' here: did you mean 'Kit', 'Kat'?",
    )
  })

  it('of an agent is refused for an unknown tool, with the existing ones if none is similar', async () => {
    const { catalog } = catalogueOf(['a'])
    const unknown = (name: string, known: readonly string[]) =>
      findUnknownAmong([name], KEY, { ...catalog, findUnknownName: async () => ({ name, known, isNear: false }) })
    expect(await unknown('x', ['A', 'B'])).toBe("There is no toolkit 'x' here: there are 'A', 'B'")
    expect(await unknown('x', [])).toBe("There is no toolkit 'x' here")
    expect(await unknown('Kit.x', [])).toBe("There is no tool 'Kit.x' here")
    expect(await findUnknownAmong([], KEY, catalog)).toBeUndefined()
  })

  it('has another entity tag for each toolkit and format', () => {
    const { catalog } = catalogueOf()
    const variantOf = (name: string, toolkit?: string) =>
      createFullList(catalog, { format: { name, write: () => '' }, join, tooMany: WRONG }, { toolkit }).variant
    expect(variantOf('plugin')).toEqual(variantOf('plugin'))
    expect(variantOf('plugin', 'Kit')).not.toEqual(variantOf('plugin'))
    expect(variantOf('other')).not.toEqual(variantOf('plugin'))
  })

  it('fails if it is too long, before further pages are read', async () => {
    const page = ['x'.repeat(8_000_000)]
    const fits = catalogueOf(page, page)
    expect(await write(fits.catalog)).toMatchObject({ ok: true })
    const { catalog, asked } = catalogueOf(page, page, ['x'], page)
    expect(await write(catalog)).toEqual(fail(WRONG))
    expect(asked).toHaveLength(3)
  })
})

describe('a route of a full list', () => {
  const lines = (toolkit: string | undefined) => (toolkit === 'Kit' ? ['a', 'b'] : [])
  const query = defineQuery({ toolkit: optional(string()) })
  async function ask(search: string, list: Catalog['list']) {
    const catalog: Catalog = {
      etag: async () => 'e',
      list,
      findUnknownName: async () => undefined,
      suggestNames: async () => [],
    }
    const route = createFullListRoute(
      { authorize: authorizerFor(KEY), catalog, sha256 },
      {
        summary: 'A list',
        query,
        schema: {},
        format: { name: 'x', write: () => '' },
        join: (all) => all.join('|'),
        tooMany: WRONG,
        respond,
      },
    )
    const raw = new Request(`https://sb.example/tools${search}`)
    const response = await route({ req: { raw }, executionCtx: { waitUntil: () => undefined } })
    return { route, text: await response.text(), note: response.headers.get('switchboard-note') }
  }

  it('is declared, and responds with the lines of all toolkits or of one', async () => {
    const list: Catalog['list'] = async ({ toolkit }) => ({ lines: lines(toolkit) })
    const { route, text } = await ask('?toolkit=Kit', list)
    expect(text).toBe('a|b')
    expect(findOperation(route)).toMatchObject({
      summary: 'A list',
      scope: 'tools:read',
      responses: { 200: { schema: {} } },
    })
    expect(await ask('', list)).toMatchObject({ text: '', note: null })
    expect((await ask('?toolkit=Other', list)).note).toContain("No tool of 'Other' is shown here")
    expect(JSON.parse((await ask('?toolkit=a&toolkit=b', list)).text)).toMatchObject({ type: 'request-malformed' })
  })

  it('is unavailable with its catalog, fails if it is too large, and throws defects', async () => {
    const away = () => Promise.reject(new UnreachableError('It is away'))
    expect(JSON.parse((await ask('', away)).text)).toEqual({ type: 'unavailable', message: 'It is away' })
    const large: Catalog['list'] = async () => ({ lines: ['x'.repeat(16_000_001)] })
    expect(JSON.parse((await ask('', large)).text)).toEqual(WRONG)
    await expect(ask('', async () => undefined)).rejects.toThrow(
      'Cannot list: the catalog does not know its own cursor',
    )
  })
})
