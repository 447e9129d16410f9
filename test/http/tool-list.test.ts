import { describe, expect, it, vi } from 'vitest'
import { ADMIN, type Principal } from '../../src/core/access/principal.ts'
import type { Catalogue, ListQuery } from '../../src/core/access/catalogue.ts'
import { type Failure, fail, ok } from '../../src/core/call/failure.ts'
import { answerToolList, type ToolList, unknownToolkit, wholeList } from '../../src/http/tool-list.ts'
import { sha256 } from '../dialects/machine-context/fakes.ts'
import { gateFor } from './gate-for.ts'

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
  const write = vi.fn(async () => ok('[1]'))
  const raw = new Request('https://sb.example/tools', { method, headers: held ? { 'if-none-match': held } : {} })
  const c = { req: { raw }, executionCtx: { waitUntil: () => undefined } }
  const catalogue: Catalogue = {
    etag: async () => state,
    list: async () => undefined,
    unknownToolkit: async () => undefined,
  }
  const read = vi.fn(() => ok({ variant: ['x'], write, ...list }))
  const response = await answerToolList(c, { gate: gateFor(caller), catalogue, sha256 }, read, respond)
  const { status, headers } = response
  return { status, headers, text: await response.text(), write, read, etag: headers.get('etag') ?? '' }
}

describe('a list', () => {
  it('is JSON with an entity tag, and no cache may give it to another caller', async () => {
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

  it('is refused to who is not let in before the query is looked at', async () => {
    const { text, read } = await answer({ caller: FORBIDDEN })
    expect(JSON.parse(text)).toEqual(FORBIDDEN)
    expect(read).not.toHaveBeenCalled()
    expect((await answer({ caller: { ...KEY, scopes: ['tools:call'] } })).status).toBe(400)
  })

  it('is refused for its query, and for what cannot be written', async () => {
    expect((await answer({ list: { write: async () => fail(WRONG) } })).text).toBe(JSON.stringify(WRONG))
    const unnamed = await answer({ list: { variant: undefined, write: async () => fail(WRONG) } })
    expect(unnamed.text).toBe(JSON.stringify(WRONG))
  })
})

describe('the entity tag of a list', () => {
  it('is another one for another catalogue, caller or variant', async () => {
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

  it.each(['GET', 'HEAD'])('spares whoever holds it the list, with %s', async (method) => {
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

  it('counts for nothing in a POST', async () => {
    const { etag } = await answer()
    expect(await answer({ method: 'POST', held: etag })).toMatchObject({ status: 200, text: '[1]', etag })
  })

  it('is made of the text where the catalogue does not tell when it changes', async () => {
    const list = { variant: undefined }
    const { etag } = await answer({ list })
    expect((await answer({ list, state: 'f', caller: ADMIN })).etag).toBe(etag)
    expect((await answer({ list: { ...list, write: async () => ok('[2]') } })).etag).not.toBe(etag)
    expect(await answer({ list, held: etag })).toMatchObject({ status: 304, text: '' })
  })
})

describe('a whole list', () => {
  const join = (lines: readonly string[]) => lines.join('|')
  const write = (catalogue: Catalogue, given = {}) =>
    wholeList(catalogue, { name: 'stored' }, join, { tooMany: WRONG, ...given }).write(KEY)

  function catalogueOf(...pages: (readonly string[])[]) {
    const asked: ListQuery[] = []
    const catalogue: Catalogue = {
      etag: async () => 'e',
      async unknownToolkit([name = '']) {
        return name === 'Kti' ? { name, known: ['Kit', 'Kat'], isNear: true } : undefined
      },
      async list(query) {
        const at = Number(query.cursor ?? 0)
        asked.push(query)
        return { lines: pages[at] ?? [], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) }
      },
    }
    return { catalogue, asked }
  }

  it('is of the lines of every page, without the empty ones', async () => {
    const { catalogue, asked } = catalogueOf(['a', ''], [], ['b'])
    expect(await write(catalogue, { toolkit: 'Kit' })).toEqual(ok('a|b'))
    expect(asked).toEqual(
      [undefined, '1', '2'].map((cursor) => ({ toolkit: 'Kit', versions: 'newest', limit: 1_000, cursor })),
    )
  })

  it('of an agent is refused for a toolkit that there is none of, with those that are called much like it', async () => {
    const { catalogue } = catalogueOf(['a'])
    expect(await unknownToolkit(['Kit'], KEY, catalogue)).toBeUndefined()
    expect(await unknownToolkit(['Kti'], KEY, catalogue)).toEqual(
      fail({ type: 'request-malformed', message: "There is no toolkit 'Kti' here: did you mean 'Kit', 'Kat'?" }),
    )
  })

  it('is another one for each toolkit and format', () => {
    const { catalogue } = catalogueOf()
    const variantOf = (name: string, toolkit?: string) =>
      wholeList(catalogue, { name, write: () => '' }, join, { toolkit, tooMany: WRONG }).variant
    expect(variantOf('plugin')).toEqual(variantOf('plugin'))
    expect(variantOf('plugin', 'Kit')).not.toEqual(variantOf('plugin'))
    expect(variantOf('other')).not.toEqual(variantOf('plugin'))
  })

  it('may be too long, which is noticed before the rest is read', async () => {
    const page = ['x'.repeat(8_000_000)]
    const fits = catalogueOf(page, page)
    expect(await write(fits.catalogue)).toMatchObject({ ok: true })
    const { catalogue, asked } = catalogueOf(page, page, ['x'], page)
    expect(await write(catalogue)).toEqual(fail(WRONG))
    expect(asked).toHaveLength(3)
  })
})
