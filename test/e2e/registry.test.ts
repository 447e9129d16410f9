import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { build } from '../fixtures/generated/build.ts'
import { definition, manyDefinitions } from './definition.ts'
import { type RunningServer, startApp } from './server.ts'

const CATALOGUE = 'catalogues/oxp-definitions.json'
const BUNDLED = build.tools.length

type Definition = ReturnType<typeof definition>
interface Item extends Definition {
  readonly [field: string]: unknown
}
interface Result {
  readonly id: string | null
  readonly status: number
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
}

const ids = (body: { items: readonly Item[] }) => body.items.map(({ id }) => id)
const statuses = (body: { results: readonly Result[] }) => body.results.map(({ status }) => status)
const paths = (body: { errors?: readonly { path: string }[] }) => body.errors?.map(({ path }) => path)

/** Everything a listing gives, page after page. */
async function walk(server: RunningServer, path: string, limit: number): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let pages = 1; ; pages += 1) {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await server.json('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`)
    expect(status).toBe(200)
    expect(body.items.length).toBeLessThanOrEqual(limit)
    items.push(...body.items)
    cursor = body.next_cursor
    if (cursor === undefined) return { items, pages }
    expect(pages).toBeLessThan(1_000)
  }
}

/** Lists all tools. Pages are still divided for a moment after publications, which changes the entity tag. */
async function waitForSameList(server: RunningServer) {
  for (let reads = 0; reads < 20; reads += 1) {
    const first = await server.json('GET', '/tools?limit=1000')
    await new Promise((done) => setTimeout(done, 1_500))
    const second = await server.json('GET', '/tools?limit=1000')
    if (first.headers.get('etag') === second.headers.get('etag')) return second
  }
  throw new Error('The list changes without a publication')
}

const catalogs = [
  {
    name: `definitions in use elsewhere${unlessShared(CATALOGUE)}`,
    load: (): Definition[] => JSON.parse(readShared(CATALOGUE)).items,
    skip: !hasShared(CATALOGUE),
  },
  { name: '150 definitions of our own', load: () => manyDefinitions(150), skip: false },
]

for (const { name, load, skip } of catalogs) {
  describe.skipIf(skip)(`a catalog of ${name}`, () => {
    let server: RunningServer
    let definitions: Definition[]
    let published: Result[]

    beforeAll(async () => {
      definitions = load()
      server = await startApp()
      published = []
      for (let at = 0; at < definitions.length; at += 100) {
        const { status, body } = await server.json('POST', '/tools', definitions.slice(at, at + 100))
        expect(status).toBe(200)
        published.push(...body.results)
      }
    })
    afterAll(() => server?.stop())

    it('accepts every definition, and returns each id in order', () => {
      expect(published.filter(({ status }) => status !== 201)).toEqual([])
      expect(published.map(({ id }) => id)).toEqual(definitions.map(({ id }) => id))
    })

    it('lists all definitions with the bundled tools, ordered by id, as the specification writes them', async () => {
      const { body } = await server.json('GET', '/tools?limit=1000')
      expect(body.items.length).toBe(definitions.length + BUNDLED)
      expect(body).not.toHaveProperty('next_cursor')
      const keys = ids(body).map((id) => (id.split('@')[0] ?? '').toLowerCase())
      expect(keys).toEqual([...keys].sort())
      const listed = new Map(body.items.map((item: Item) => [item.id, item]))
      for (const each of definitions) {
        expect(listed.get(each.id)).toEqual({ ...each, input_schema: { parameters: each.input_schema } })
      }
    })

    it('returns each definition exactly as published, alone and in the flat list', async () => {
      const { body } = await server.json('GET', '/oxp/tools?limit=1000')
      const listed = new Map(body.items.map((item: Item) => [item.id, item]))
      for (const each of definitions) expect(listed.get(each.id)).toEqual(each)
      for (const each of definitions) {
        const one = await server.json('GET', `/tools/${each.id}`)
        expect(one).toMatchObject({ status: 200 })
        expect(JSON.stringify(one.body)).toBe(JSON.stringify(each))
      }
    })

    it.each([7, 100])('lists every tool exactly once, in pages of %i', async (limit) => {
      const { items, pages } = await walk(server, '/tools', limit)
      const all = await server.json('GET', '/tools?limit=1000')
      expect(items).toEqual(all.body.items)
      expect(pages).toBe(Math.ceil(items.length / limit))
    })

    it('lists exactly the tools of any toolkit, also in pages', async () => {
      const all = ids((await server.json('GET', '/tools?limit=1000')).body)
      for (const toolkit of new Set(all.map((id) => id.split('.')[0] ?? ''))) {
        const wanted = all.filter((id) => id.startsWith(`${toolkit}.`))
        const { body } = await server.json('GET', `/tools?toolkit=${toolkit.toUpperCase()}`)
        expect(ids(body)).toEqual(wanted)
        expect(ids(await walk(server, `/tools?toolkit=${toolkit}`, 2))).toEqual(wanted)
      }
    })

    it.each([
      ['GET', '/tools?toolkit=Calculater', { items: [] }],
      ['GET', '/oxp/tools?toolkit=Calculater', { items: [] }],
      ['GET', '/tools?toolkit=Calculater&q=add', { items: [] }],
      ['GET', '/tools?toolkit=Calculater&versions=all', { items: [] }],
      ['POST', '/plugin/describe?toolkit=Calculater', { tools: [] }],
      ['GET', '/machine-context/tools?toolkit=Calculater', { tools: [] }],
    ])('%s %s is empty, and a header suggests the intended toolkit', async (method, path, expected) => {
      const { status, body, headers } = await server.json(method, path)
      expect({ status, body }).toMatchObject({ status: 200, body: expected })
      expect(headers.get('switchboard-note')).toBe("There is no toolkit 'Calculater' here: did you mean 'Calculator'?")
    })

    it('sends that header with no other list', async () => {
      for (const path of ['/tools', '/tools?toolkit=Calculator', '/tools?q=xyzzy', '/worker/tools']) {
        expect((await server.json('GET', path)).headers.get('switchboard-note'), path).toBeNull()
      }
      const { headers } = await server.json('GET', '/tools?tag=nobody-has-this')
      expect(headers.get('switchboard-note')).toBe('There is no tool with that tag here')
    })

    it('finds each tool first by its own name', async () => {
      const missed: string[] = []
      for (const { id, name: asked } of definitions.filter((_, n) => n % 3 === 0)) {
        const { body } = await server.json('GET', `/tools?q=${asked}&limit=3`)
        if (ids(body)[0] !== id) missed.push(`${asked}: ${ids(body).join()}`)
      }
      expect(missed).toEqual([])
    })

    it('finds a tool by words of its description, and returns every hit once across pages', async () => {
      const { body } = await server.json('GET', '/tools?q=tool&limit=1000')
      const found = ids(body)
      expect(found.length).toBeGreaterThan(20)
      expect(new Set(found).size).toBe(found.length)
      expect(ids(await walk(server, '/tools?q=tool', 7))).toEqual(found)
      expect((await server.json('GET', '/tools?q=xyzzyplugh')).body.items).toEqual([])
    })

    it('accepts the same definitions again as no change', async () => {
      const keepsTag = async () => {
        const before = await waitForSameList(server)
        const { body } = await server.json('POST', '/tools', definitions)
        expect(new Set(statuses(body))).toEqual(new Set([200]))
        return (await waitForSameList(server)).headers.get('etag') === before.headers.get('etag')
      }
      // Pages of earlier publications may be divided in between, once or twice, which changes the tag
      let isKept = await keepsTag()
      for (let tries = 0; !isKept && tries < 3; tries += 1) isKept = await keepsTag()
      expect(isKept).toBe(true)
    }, 120_000)

    it('says that each definition is registered and cannot be called', async () => {
      for (const { id } of definitions.slice(0, 5)) {
        const { status, body } = await server.json('POST', '/tools/call', { tool_id: id, input: {} })
        expect(status).toBe(400)
        expect(body.message).toBe(`Tool '${id}' cannot be called here`)
        expect(body.developer_message).toBe('It was published without an implementation')
      }
    })
  })
}

let server: RunningServer
let backend: Upstream

beforeAll(async () => {
  // Answers with the path it was asked for: a tool tells by it which version of it ran
  backend = await startUpstream(({ url }, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(url.slice(1)))
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: backend.host } })
})
afterAll(() => Promise.all([server?.stop(), backend?.close()]))

/** A definition with an implementation that answers with `says`. */
function callable(id: string, says = id.split('@')[1] ?? '') {
  return {
    definition: definition(id),
    implementation: { kind: 'http', method: 'GET', url: `${backend.origin}/${says}`, response: { type: 'json' } },
  }
}

async function call(tool_id: string): Promise<{ status: number; value?: unknown; message?: string }> {
  const { status, body } = await server.json('POST', '/tools/call', { tool_id, input: {} })
  return { status, value: body.result?.value, message: body.message ?? body.result?.error?.message }
}

it('publishing one definition returns 201 with the ids, and 200 for the same definition in another form', async () => {
  const first = definition('One.Same@1.0.0')
  expect(await server.json('POST', '/tools', first)).toMatchObject({ status: 201, body: { ids: [first.id] } })
  expect(await server.json('POST', '/tools', first)).toMatchObject({ status: 200, body: { ids: [first.id] } })
  const turned = Object.fromEntries(Object.entries(first).reverse())
  expect(await server.json('POST', '/tools', turned)).toMatchObject({ status: 200 })
  expect(await server.json('POST', '/tools', { definition: first })).toMatchObject({ status: 200 })
})

it('publishing one definition refuses another document, implementation or tags for a published version', async () => {
  const first = callable('One.Conflict@1.0.0')
  expect((await server.json('POST', '/tools', first)).status).toBe(201)
  expect((await server.json('POST', '/tools', first)).status).toBe(200)
  const others = [
    definition('One.Conflict@1.0.0', { description: 'Another' }),
    callable('One.Conflict@1.0.0', 'elsewhere'),
    { ...first, tags: ['new'] },
  ]
  for (const other of others) {
    const { status, body } = await server.json('POST', '/tools', other)
    expect(status).toBe(409)
    expect(body.message).toBe(
      "'One.Conflict@1.0.0' is published already, and a version never changes: publish it under a higher version",
    )
  }
  const bare = definition('One.Later@1.0.0')
  expect((await server.json('POST', '/tools', bare)).status).toBe(201)
  expect(await server.json('POST', '/tools', callable('One.Later@1.0.0'))).toMatchObject({
    status: 409,
    body: {
      message:
        "'One.Later@1.0.0' is published already, and a version never changes: the one that is there has no implementation, so publish it with one under a higher version",
    },
  })
  expect((await server.json('POST', '/tools', callable('One.Later@1.0.1'))).status).toBe(201)
  expect((await server.json('GET', '/tools/One.Conflict')).body.description).toBe('What One.Conflict does')
})

it('publishing one definition refuses an id that differs from another only in case, for any version', async () => {
  expect((await server.json('POST', '/tools', definition('One.CaseD@1.0.0'))).status).toBe(201)
  for (const id of ['one.cased@1.0.0', 'ONE.CASED@1.0.0', 'One.Cased@2.0.0']) {
    const { status, body } = await server.json('POST', '/tools', definition(id))
    expect(status).toBe(409)
    expect(body.message).toBe("'One.CaseD' exists: ids are unique ignoring case")
  }
  expect((await server.json('GET', '/tools/ONE.cased')).body.id).toBe('One.CaseD@1.0.0')
})

it('publishing one definition makes it appear in lists, searches and calls as soon as it is acknowledged', async () => {
  for (let n = 0; n < 10; n += 1) {
    const id = `Moment.Tool${n}@1.0.0`
    expect(await call(`Moment.Tool${n}`)).toMatchObject({ status: 400 })
    const before = await server.json('GET', '/tools?toolkit=Moment')
    expect((await server.json('POST', '/tools', callable(id, `says${n}`))).status).toBe(201)
    const after = await server.json('GET', '/tools?toolkit=Moment')
    expect(ids(after.body)).toEqual([...ids(before.body), id])
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(ids((await server.json('GET', `/tools?q=Tool${n}&toolkit=Moment`)).body)).toContain(id)
    expect(await call(`Moment.Tool${n}`)).toMatchObject({ status: 200, value: `says${n}` })
    expect((await server.json('GET', `/tools/${id}`)).status).toBe(200)
  }
})

it('publishing one definition without an implementation lists it, and says that it cannot be called', async () => {
  const made = await server.json('POST', '/tools', definition('One.Listed@1.0.0'))
  expect(made).toMatchObject({ status: 201, body: { ids: ['One.Listed@1.0.0'] } })
  expect(made.headers.get('switchboard-note')).toMatch(
    /^Without an implementation, 'One\.Listed@1\.0\.0' cannot be called, .* beside the 'definition'$/,
  )
  const batch = await server.json('POST', '/tools', [definition('One.Next@1.0.0')])
  expect(batch.headers.get('switchboard-note')).toContain("'One.Next@1.0.0'")
  expect(ids((await server.json('GET', '/tools?toolkit=One&limit=1000')).body)).toContain('One.Listed@1.0.0')
  expect(await call('One.Listed')).toMatchObject({
    status: 400,
    message: "Tool 'One.Listed@1.0.0' cannot be called here",
  })
})

const nest = (depth: number): unknown => (depth === 0 ? {} : { not: nest(depth - 1) })
const withInput = (input_schema: unknown) => definition('Bad.Tool@1.0.0', { input_schema })
const withProperty = (schema: unknown) => withInput({ type: 'object', properties: { x: schema } })
const X = '/input_schema/properties/x'

/** What is wrong, a document that is so, and where the answer must say it is. */
const INVALID: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['a number', 7, ['']],
  ['a text', 'definition', ['']],
  ['null', null, ['']],
  ['an object of no dialect', { hello: 'there' }, ['']],
  [
    'an object with nothing but a schema',
    { input_schema: {} },
    ['/id', '/name', '/description', '/version', '/output_schema'],
  ],
  ['unknown fields', definition('Bad.Tool@1.0.0', { outputs: 1, $id: 'x' }), ['/outputs', '/$id']],
  [
    'wrong types everywhere',
    {
      id: 1,
      name: 2,
      description: 3,
      version: 4,
      input_schema: 5,
      output_schema: 6,
      requirements: { authorization: 7, secrets: [8, { id: '' }], user_id: 'yes' },
    },
    [
      '/id',
      '/name',
      '/description',
      '/version',
      '/input_schema',
      '/output_schema',
      '/requirements/authorization',
      '/requirements/secrets/0/id',
      '/requirements/secrets/1/id',
      '/requirements/user_id',
    ],
  ],
  ['an id without a version', definition('Bad.Tool', { version: '1.0.0' }), ['/id']],
  ['an id with a range', definition('Bad.Tool@^1', { version: '1.0.0' }), ['/id', '/version']],
  ['an id of other characters', definition('Bad.To ol@1.0.0', { name: 'Bad' }), ['/id']],
  ['a version that is not the one of the id', definition('Bad.Tool@1.0.0', { version: '1.0.1' }), ['/version']],
  ['a version that is none', definition('Bad.Tool@1.0.0', { version: '1.0' }), ['/version']],
  ['a version with a leading zero', definition('Bad.Tool@1.02.0'), ['/id', '/version']],
  ['a name that is too long', definition('Bad.Tool@1.0.0', { name: 'x'.repeat(65) }), ['/name']],
  ['a name that models cannot say', definition('Bad.Tool@1.0.0', { name: 'a.b' }), ['/name']],
  ['an input that is no object', withInput({ type: 'string' }), ['/input_schema/type']],
  ['$ref', withProperty({ $ref: '#/properties/y' }), [`${X}/$ref`]],
  ['$defs', withInput({ type: 'object', $defs: { a: {} } }), ['/input_schema/$defs']],
  ['definitions', definition('Bad.Tool@1.0.0', { output_schema: { definitions: {} } }), ['/output_schema/definitions']],
  ['a type that is none', withProperty({ type: 'text' }), [`${X}/type`]],
  [
    'a keyword with the wrong value',
    withProperty({ minLength: -1, required: 'x' }),
    [`${X}/minLength`, `${X}/required`],
  ],
  ['schemas 33 deep', withProperty(nest(31)), [`${X}${'/not'.repeat(31)}`]],
  [
    '2,001 subschemas',
    withInput({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, {}])),
    }),
    ['/input_schema'],
  ],
  ['more than 256 KiB', definition('Bad.Tool@1.0.0', { description: 'x'.repeat(256 * 1024) }), ['']],
  ['more than 256 KiB in UTF-8', definition('Bad.Tool@1.0.0', { description: '€'.repeat(90_000) }), ['']],
  ['a pattern that backtracks', withProperty({ pattern: '^(a)\\1$' }), [`${X}/pattern`]],
  ['a pattern that is none', withProperty({ pattern: '(' }), [`${X}/pattern`]],
  ['a lone surrogate', definition('Bad.Tool@1.0.0', { description: 'a\ud800b' }), ['']],
  ['a lone surrogate in a name', withInput({ type: 'object', properties: { '\udc00': {} } }), ['']],
]

it.each(INVALID)('publication refuses %s with the location of the error', async (_, document, wanted) => {
  const bare = await server.json('POST', '/tools', document)
  expect(bare).toMatchObject({ status: 422, body: { message: 'The definition is not valid' } })
  expect(paths(bare.body)?.sort()).toEqual([...wanted].sort())
  for (const { message } of bare.body.errors) expect(message).toMatch(/^[A-Z]/)
  const wrapped = await server.json('POST', '/tools', { definition: document })
  expect(wrapped.status).toBe(422)
  expect(paths(wrapped.body)?.sort()).toEqual(wanted.map((path) => `/definition${path}`).sort())
  const { body } = await server.json('POST', '/tools', [document])
  expect(body.results).toMatchObject([{ status: 422 }])
  expect(paths(body.results[0])?.sort()).toEqual([...wanted].sort())
})

it('publication accepts documents just within the limits', async () => {
  const within = [
    definition('Bound.Deep@1.0.0', { input_schema: { type: 'object', properties: { x: nest(30) } } }),
    definition('Bound.Wide@1.0.0', {
      input_schema: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 1_999 }, (_, n) => [`p${n}`, {}])),
      },
    }),
    definition('Bound.Large@1.0.0', { description: 'x'.repeat(261_000) }),
  ]
  const { body } = await server.json('POST', '/tools', within)
  expect(statuses(body)).toEqual([201, 201, 201])
  for (const each of within) expect((await server.json('GET', `/tools/${each.id}`)).body).toEqual(each)
})

it('publication reports all problems at once: of the wrapper, the document and the schemas', async () => {
  const { status, body } = await server.json('POST', '/tools', {
    definition: withInput({
      type: 'object',
      properties: { x: { $ref: '#', pattern: '(a*)\\1b' }, y: { type: 1 } },
    }),
    implementation: { kind: 'telepathy' },
    tags: [''],
    surprise: true,
  })
  expect(status).toBe(422)
  expect(paths(body)?.sort()).toEqual([
    '/definition/input_schema/properties/x/$ref',
    '/definition/input_schema/properties/x/pattern',
    '/definition/input_schema/properties/y/type',
    '/implementation/kind',
    '/surprise',
    '/tags',
  ])
})

it('publication refuses unknown dialects and options', async () => {
  const unknown = await server.json('POST', '/tools?dialect=esperanto', definition('Bad.Tool@1.0.0'))
  expect(unknown.status).toBe(422)
  expect(unknown.body.errors[0].message).toContain("Unknown dialect 'esperanto'")
  expect((await server.json('POST', '/tools?allow=everything', definition('Bad.Tool@1.0.0'))).status).toBe(400)
  expect((await server.json('POST', '/tools?dialect=oxp', { id: 'Bad.Tool@1.0.0' })).body.errors).toContainEqual({
    path: '/input_schema',
    message: 'Is required',
  })
})

const beside = (given: object) => ({ definition: definition('Beside.Tool@1.0.0'), ...given })

it.each([
  ['an unknown field', { secret: 1 }, ['/secret']],
  ['a toolkit that is none', { toolkit: 'a b' }, ['/toolkit']],
  ['another toolkit', { toolkit: 'Other' }, ['/definition/id']],
  ['a version that is none', { version: '1' }, ['/version']],
  ['another version', { version: '2.0.0' }, ['/definition/version']],
  ['tags that are no list', { tags: 'mail' }, ['/tags']],
  ['tags that are no texts', { tags: [1] }, ['/tags']],
  ['too many tags', { tags: Array.from({ length: 33 }, (_, n) => `t${n}`) }, ['/tags']],
  ['a tag with a lone surrogate', { tags: ['\ud800'] }, ['/tags']],
  ['an implementation that is none', { implementation: 'http' }, ['/implementation']],
  ['an implementation of no kind', { implementation: {} }, ['/implementation']],
  ['an implementation that comes with deployments', { implementation: { kind: 'bundled' } }, ['/implementation/kind']],
  ['an implementation of an unknown kind', { implementation: { kind: 'magic' } }, ['/implementation/kind']],
])('%s next to a definition is refused', async (_, given, wanted) => {
  const { status, body } = await server.json('POST', '/tools', beside(given))
  expect(status).toBe(422)
  expect(paths(body)).toEqual(wanted)
})

it('an implementation is refused if it contains invalid text or is too large', async () => {
  for (const url of ['https://example.com/\ud800', `https://example.com/${'x'.repeat(256 * 1024)}`]) {
    const { status, body } = await server.json(
      'POST',
      '/tools',
      beside({ implementation: { kind: 'http', method: 'GET', url } }),
    )
    expect(status).toBe(422)
    expect(paths(body)).toContain('/implementation')
  }
})

it('tags of a publication are stored and searchable, and its toolkit is listed', async () => {
  const { definition: tagged } = { definition: definition('Beside.Tagged@1.2.3') }
  const all = { definition: tagged, toolkit: 'Beside', version: '1.2.3', tags: ['mail', 'fancy'] }
  expect(await server.json('POST', '/tools', all)).toMatchObject({ status: 201, body: { ids: [tagged.id] } })
  expect(ids((await server.json('GET', '/tools?tag=fancy')).body)).toEqual([tagged.id])
  expect(ids((await server.json('GET', '/tools?tag=fancy&q=tagged')).body)).toEqual([tagged.id])
  expect((await server.json('GET', '/tools?tag=none')).body.items).toEqual([])
})

it('publishing a batch treats each document separately', async () => {
  const { status, body } = await server.json('POST', '/tools', [
    definition('Batch.A@1.0.0'),
    definition('Batch.B@1.0.0', { name: '' }),
    definition('Batch.A@1.0.0'),
    definition('Batch.A@1.0.0', { description: 'Another' }),
    { definition: definition('Batch.C@1.0.0'), tags: ['t'] },
    'nonsense',
    definition('Batch.c@1.0.0'),
    callable('Batch.D@1.0.0', 'd'),
  ])
  expect(status).toBe(200)
  expect(body.results.map(({ id, status: each }: Result) => [id, each])).toEqual([
    ['Batch.A@1.0.0', 201],
    ['Batch.B@1.0.0', 422],
    ['Batch.A@1.0.0', 200],
    ['Batch.A@1.0.0', 409],
    ['Batch.C@1.0.0', 201],
    [null, 422],
    ['Batch.c@1.0.0', 409],
    ['Batch.D@1.0.0', 201],
  ])
  expect(paths(body.results[1])).toEqual(['/name'])
  expect(await call('Batch.D')).toMatchObject({ value: 'd' })
  expect(ids((await server.json('GET', '/tools?toolkit=Batch')).body)).toEqual([
    'Batch.A@1.0.0',
    'Batch.C@1.0.0',
    'Batch.D@1.0.0',
  ])
})

it('publishing a batch accepts 1,000 definitions, refuses 1,001 as a whole, and does nothing for none', async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => definition(`Thousand.T${n}@1.0.0`))
  const refused = await server.json('POST', '/tools', many)
  expect(refused).toMatchObject({
    status: 400,
    body: { message: 'Cannot read the body: A batch holds at most 1000 definitions, got 1001' },
  })
  expect((await server.json('GET', '/tools?toolkit=Thousand')).body.items).toEqual([])
  const { body } = await server.json('POST', '/tools', many.slice(1))
  expect(new Set(statuses(body))).toEqual(new Set([201]))
  const listed = await server.json('GET', '/tools?toolkit=Thousand&limit=1000')
  expect(new Set(ids(listed.body))).toEqual(new Set(many.slice(1).map(({ id }) => id)))
  expect(await server.json('POST', '/tools', [])).toMatchObject({ status: 200, body: { results: [] } })
})

it('GET /tools returns 304 to clients with the current list, until something is published', async () => {
  for (const path of ['/tools', '/oxp/tools', '/tools?versions=all', '/tools?q=add']) {
    const first = await server.json('GET', path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(first.headers.get('cache-control')).toContain('private')
    const held = await fetch(server.url + path, { headers: { 'if-none-match': etag } })
    expect(held.status).toBe(304)
    expect(await held.text()).toBe('')
    expect((await fetch(server.url + path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  }
  const held = (await server.json('GET', '/tools')).headers.get('etag') ?? ''
  await server.json('POST', '/tools', definition('Lists.New@1.0.0'))
  const response = await fetch(`${server.url}/tools`, { headers: { 'if-none-match': held } })
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).not.toBe(held)
})

it('GET /tools returns 304 to clients with the current definition, whose entity tag is its digest', async () => {
  await server.json('POST', '/tools', definition('Lists.Held@1.0.0'))
  const { headers } = await server.json('GET', '/tools/Lists.Held')
  const etag = headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  for (const id of ['Lists.Held', 'Lists.Held@1', 'Lists.Held@^1', 'lists.held@1.0.0']) {
    const response = await fetch(`${server.url}/tools/${id}`, { headers: { 'if-none-match': etag } })
    expect(response.status).toBe(304)
  }
  await server.json('POST', '/tools', definition('Lists.Held@1.0.1'))
  expect((await fetch(`${server.url}/tools/Lists.Held`, { headers: { 'if-none-match': etag } })).status).toBe(200)
})

it('GET /tools lists the newest active version of each tool, and all active and deprecated ones with versions=all', async () => {
  const versions = ['1.0.0', '1.9.0', '1.10.0', '2.0.0', '0.1.0']
  for (const version of versions) await server.json('POST', '/tools', definition(`Many.Versions@${version}`))
  const newest = async () => ids((await server.json('GET', '/tools?toolkit=Many')).body)
  const all = async () => ids((await server.json('GET', '/tools?toolkit=Many&versions=all')).body).sort()
  const id = (version: string) => `Many.Versions@${version}`
  expect(await newest()).toEqual([id('2.0.0')])
  expect(await all()).toEqual(versions.map(id).sort())
  expect(ids(await walk(server, '/tools?toolkit=Many&versions=all', 2)).sort()).toEqual(versions.map(id).sort())
  await server.json('PATCH', `/tools/${id('2.0.0')}`, { status: 'yanked' })
  await server.json('PATCH', `/tools/${id('1.9.0')}`, { status: 'deprecated' })
  await server.json('PATCH', `/tools/${id('0.1.0')}`, { status: 'disabled' })
  expect(await newest()).toEqual([id('1.10.0')])
  expect(await all()).toEqual(['1.0.0', '1.9.0', '1.10.0'].map(id).sort())
  expect(ids((await server.json('GET', '/tools?q=versions&versions=all&toolkit=Many')).body).length).toBe(3)
})

it('GET /tools ranks the exact name first', async () => {
  await server.json('POST', '/tools', [
    definition('Rank.SendMessageToEveryone@1.0.0', { description: 'send message send message send message' }),
    definition('Rank.Message@1.0.0', { description: 'send send send message' }),
    definition('Rank.SendMessage@1.0.0', { description: 'Delivers it' }),
    definition('SendMessage.Rank@1.0.0', { description: 'send message' }),
  ])
  for (const q of ['SendMessage', 'send message', 'Rank.SendMessage', 'rank_sendmessage', 'Rank_SendMessage']) {
    expect(ids((await server.json('GET', `/tools?q=${encodeURIComponent(q)}`)).body)[0]).toBe('Rank.SendMessage@1.0.0')
  }
})

describe('the version that is used', () => {
  beforeAll(async () => {
    const versions = ['0.9.0', '1.0.0', '1.2.0', '1.2.3', '1.10.0', '2.0.0', '3.0.0']
    const { body } = await server.json('POST', '/tools', [
      ...versions.map((version) => callable(`Which.Tool@${version}`)),
      callable('Which.Old@1.0.0'),
      callable('Which.Old@1.1.0'),
      callable('Which.NoOne@1.5.0'),
    ])
    expect(new Set(statuses(body))).toEqual(new Set([201]))
    const patch = async (id: string, status: unknown) =>
      expect((await server.json('PATCH', `/tools/${id}`, { status })).status).toBe(200)
    await patch('Which.Tool@3.0.0', 'disabled')
    await patch('Which.Tool@1.10.0', 'yanked')
    await patch('Which.Tool@1.2.3', 'deprecated')
    await patch('Which.Old@1.0.0', 'deprecated')
    await patch('Which.Old@1.1.0', 'deprecated')
  })

  it('a status change without a version reports which version changed, and is refused if all are yanked', async () => {
    await server.json(
      'POST',
      '/tools',
      ['1.0.0', '1.1.0', '1.2.0'].map((version) => callable(`Off.Tool@${version}`)),
    )
    const change = async (id: string, status: string) => {
      const { status: code, body } = await server.json('PATCH', `/tools/${id}`, { status })
      return [code, body.id ?? body.message]
    }
    await change('Off.Tool@1.2.0', 'yanked')
    await change('Off.Tool@1.1.0', 'disabled')
    await change('Off.Tool@1.0.0', 'disabled')
    expect(await change('Off.Tool', 'active')).toEqual([200, 'Off.Tool@1.1.0'])
    for (const version of ['1.1.0', '1.0.0']) await change(`Off.Tool@${version}`, 'yanked')
    const there = '1.0.0 (yanked), 1.1.0 (yanked), 1.2.0 (yanked)'
    expect(await change('Off.Tool', 'active')).toEqual([
      400,
      `Say which version of 'Off.Tool' to change: there is ${there}`,
    ])
    const { body } = await server.json('GET', '/tools/Off.Tool/versions')
    expect(ids(body)).toEqual(['Off.Tool@1.2.0', 'Off.Tool@1.1.0', 'Off.Tool@1.0.0'])
    expect((await server.json('GET', '/tools/Off.Tool')).status).toBe(404)
    expect((await server.json('GET', '/tools/Off.Tool@9.9.9/versions')).status).toBe(404)
  })

  it.each([
    ['Which.Tool@1.2.0', '1.2.0'],
    ['Which.Tool@1', '1.0.0'],
    ['Which.Tool@2', '2.0.0'],
    ['Which.Tool', '2.0.0'],
    ['which.TOOL', '2.0.0'],
    ['Which.Tool@latest', '2.0.0'],
    ['Which.Tool@^1.2', '1.2.0'],
    ['Which.Tool@~1.2', '1.2.0'],
    ['Which.Tool@1.x', '1.2.0'],
    ['Which.Tool@>=1 <3', '2.0.0'],
    ['Which.Tool@<1', '0.9.0'],
    ['Which.Tool@1.2.3', '1.2.3'],
    ['Which.Tool@1.10.0', '1.10.0'],
    ['Which.Old', '1.1.0'],
    ['Which.Old@1', '1.0.0'],
  ])('%s resolves to %s', async (asked, version) => {
    expect(await call(asked)).toEqual({ status: 200, value: version, message: undefined })
    const { status, body } = await server.json('GET', `/tools/${encodeURIComponent(asked)}`)
    expect({ status, version: body.version }).toEqual({ status: 200, version })
  })

  it.each([
    ['Which.Tool@3.0.0', "Tool 'Which.Tool@3.0.0' is disabled"],
    ['Which.Tool@3', "Tool 'Which.Tool@3.0.0' is disabled"],
    ['Which.Tool@^3', "Tool 'Which_Tool' was not found"],
    ['Which.Tool@1.10.x', "'Which.Tool@1.10.0' was yanked: there is '0.9.0', '1.0.0', '1.2.0', '2.0.0'"],
    ['Which.Tool@9.9.9', "Tool 'Which_Tool' was not found"],
    ['Which.Old@latest', "Tool 'Which_Old' was not found"],
    ['Which.Old@^1', "Tool 'Which_Old' was not found"],
    ['Which.NoOne@1', "Tool 'Which_NoOne' was not found"],
  ])('%s cannot be called', async (asked, message) => {
    expect(await call(asked)).toEqual({ status: 400, message })
  })

  it('GET /tools/{id} returns 404 for an unknown version or an invalid id', async () => {
    for (const id of ['Which.None', 'Which.Tool@9.9.9', 'Which.Tool@^9', 'nonsense', 'a.b.c', '%20', 'Which.Tool@']) {
      expect((await server.json('GET', `/tools/${id}`)).status).toBe(404)
    }
  })
})

it('PATCH /tools/{id} accepts a status in each of its forms', async () => {
  const id = 'Status.Forms@1.0.0'
  await server.json('POST', '/tools', [definition(id), definition('Status.Forms@2.0.0')])
  const successor = 'Status.Forms@2.0.0'
  const forms: readonly (readonly [object, object])[] = [
    [{ status: 'deprecated' }, { status: 'deprecated' }],
    [
      { status: 'deprecated', message: 'm', successor },
      { status: 'deprecated', message: 'm', successor },
    ],
    [{ status: { state: 'deprecated', message: 'm' } }, { status: 'deprecated', message: 'm' }],
    [{ status: { deprecated: { successor } } }, { status: 'deprecated', successor }],
    [{ status: 'yanked' }, { status: 'yanked' }],
    [{ status: { state: 'disabled' } }, { status: 'disabled' }],
    // As it was before it was disabled
    [{ status: { active: {} } }, { status: 'yanked' }],
    [{ status: { active: {} } }, { status: 'active' }],
  ]
  for (const [sent, wanted] of forms) {
    const answer = await server.json('PATCH', `/tools/${id}`, sent)
    expect(answer).toMatchObject({ status: 200, body: { id, ...wanted } })
    const { headers } = await server.json('GET', `/tools/${id}`)
    expect(headers.get('switchboard-status') ?? 'active').toBe(answer.body.status)
  }
})

it('PATCH /tools/{id} returns 404 for an unknown tool or version', async () => {
  for (const id of ['Status.None', 'Calculator.Add@7.0.0', 'nonsense']) {
    expect((await server.json('PATCH', `/tools/${id}`, { status: 'yanked' })).status).toBe(404)
  }
})

it('a version cannot be its own successor, under any id', async () => {
  const change = (id: string, successor: string) =>
    server.json('PATCH', `/tools/${id}`, { status: 'deprecated', successor })
  await server.json('POST', '/tools', [definition('Status.Own@1.0.0'), definition('Status.Own@1.1.0')])
  for (const successor of ['Status.Own@1.1.0', 'status.own@1.1.0'])
    expect(await change('Status.Own', successor)).toMatchObject({
      status: 400,
      body: {
        message: `The successor '${successor}' leads to the version that you deprecate: name another version or tool, or none`,
      },
    })
  expect((await server.json('GET', '/tools/Status.Own')).headers.get('switchboard-status')).toBeNull()
  expect(await change('Status.Own@1.1.0', 'Status.Own')).toMatchObject({ status: 200 })
  expect(await change('Status.Own@1.0.0', 'Status.Own@1.0.0')).toMatchObject({ status: 400 })
  // The other is deprecated, and lower
  expect(await change('Status.Own@1.1.0', 'Status.Own@1.0.0')).toMatchObject({ status: 200 })
})

it('a deprecated definition is returned with its status and successor', async () => {
  await server.json('POST', '/tools', [definition('Status.Old@1.0.0'), definition('Status.New@1.0.0')])
  await server.json('PATCH', '/tools/Status.Old', { status: 'deprecated', successor: 'Status.New@1.0.0' })
  const { status, headers } = await server.json('GET', '/tools/Status.Old')
  expect(status).toBe(200)
  expect(headers.get('switchboard-status')).toBe('deprecated')
  expect(headers.get('link')).toBe('</tools/Status.New%401.0.0>; rel="successor-version"')
  expect((await server.json('GET', '/tools/Status.New')).headers.get('switchboard-status')).toBeNull()
})

it('a call of a deprecated tool returns the deprecation and successor in every dialect', async () => {
  await server.json('POST', '/tools', [callable('Status.Slow@1.0.0'), callable('Status.Fast@1.0.0')])
  await server.json('PATCH', '/tools/Status.Slow', { status: 'deprecated', message: 'é', successor: 'Status.Fast' })
  const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'Status_Slow', arguments: {} } }
  const envelope = {
    header: { messageId: 'm', messageType: 'request' },
    payload: { tool: { id: 'Status', capability: 'Slow', parameters: {} } },
  }
  const calls = [
    ['/tools/call', { tool_id: 'Status.Slow' }],
    ['/mcp', mcp],
    ['/worker/tools/invoke', { tool: { toolkit: 'Status', name: 'Slow' }, inputs: {} }],
    ['/machine-context/execute', envelope],
    ['/plugin/call', { params: { name: 'Status_Slow', arguments: {} } }],
  ] as const
  for (const [path, body] of calls) {
    const { headers } = await server.json('POST', path, body)
    const note = "'Status.Slow@1.0.0' is deprecated: ?; use Status.Fast"
    expect([headers.get('switchboard-status'), headers.get('switchboard-note')], path).toEqual(['deprecated', note])
  }
  const { headers } = await server.json('POST', '/tools/call', { tool_id: 'Status.Fast' })
  expect([headers.get('switchboard-status'), headers.get('switchboard-note')]).toEqual([null, null])
})

it('a yanked tool is reported as yanked, with the reason and the remaining versions', async () => {
  await server.json('POST', '/tools', [callable('Status.Bad@1.0.0'), callable('Status.Bad@2.0.0')])
  await server.json('PATCH', '/tools/Status.Bad@1.0.0', { status: 'yanked', message: 'loses mail' })
  const older = "'Status.Bad@1.0.0' was yanked: loses mail; there is '2.0.0'"
  expect(await call('Status.Bad@^1')).toEqual({ status: 400, message: older })
  expect((await server.json('GET', '/tools/Status.Bad@^1')).body).toMatchObject({ message: older })
  await server.json('PATCH', '/tools/Status.Bad@2.0.0', { status: 'yanked' })
  const all = "'Status.Bad@2.0.0' was yanked: only calls of exactly this version still run"
  expect(await call('Status.Bad')).toEqual({ status: 400, message: all })
  expect(await server.json('GET', '/tools/Status.Bad')).toMatchObject({ status: 404, body: { message: all } })
  expect(await call('Status.Bad@2.0.0')).toMatchObject({ status: 200 })
})

it('a status applies at once to calls and lists, and can be reversed', async () => {
  const id = 'Status.Toggled@1.0.0'
  await server.json('POST', '/tools', callable(id))
  for (let n = 0; n < 3; n += 1) {
    expect(await call(id)).toMatchObject({ status: 200 })
    await server.json('PATCH', `/tools/${id}`, { status: 'disabled' })
    expect(await call(id)).toEqual({ status: 400, message: `Tool '${id}' is disabled` })
    expect(await call('Status.Toggled')).toMatchObject({ status: 400 })
    expect((await server.json('GET', `/tools/${id}`)).status).toBe(200)
    expect(ids((await server.json('GET', '/tools?toolkit=Status')).body)).not.toContain(id)
    await server.json('PATCH', `/tools/${id}`, { status: 'active' })
    expect(ids((await server.json('GET', '/tools?toolkit=Status')).body)).toContain(id)
  }
})

describe('semantic versioning', () => {
  const input = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })
  const text = { type: 'string', description: 'Text' }
  const before = {
    input_schema: input({ a: { type: ['string', 'number'], description: 'A' }, b: text }, ['a']),
    output_schema: { type: 'object', properties: { r: text } },
  }
  const { a, b } = before.input_schema.properties as { a: object; b: object }

  it.each([
    ['RemovedParameter', { input_schema: input({ a }, ['a']) }, /Parameter 'b' is removed/, '2.0.0'],
    ['NewlyRequired', { input_schema: input({ a, b }, ['a', 'b']) }, /Parameter 'b' is now required/, '2.0.0'],
    [
      'NewAndRequired',
      { input_schema: input({ a, b, c: text }, ['a', 'c']) },
      /Parameter 'c' is (?:new and|now) required/,
      '2.0.0',
    ],
    ['NarrowedType', { input_schema: input({ a: text, b }, ['a']) }, /Parameter 'a' has another type/, '2.0.0'],
    ['NarrowedEnum', { input_schema: input({ a, b: { ...text, enum: ['x'] } }, ['a']) }, /only some values/, '2.0.0'],
    ['Output', { output_schema: { type: 'string' } }, /The output/, '2.0.0'],
    ['NoOutput', { output_schema: null }, /The output/, '2.0.0'],
    ['Secret', { requirements: { secrets: [{ id: 'KEY' }] } }, /Secret 'KEY' is now required/, '2.0.0'],
    ['Level', { requirements: { user_id: true } }, /security level is raised from 0 to 4/, '2.0.0'],
    ['NewOptional', { input_schema: input({ a, b, c: text }, ['a']) }, /Parameter 'c' is new/, '1.1.0'],
  ])(
    'semantic versioning refuses a version that hides a change (%s), and lists what changed',
    async (name, change, what, needed) => {
      const publish = (version: string, given: object, query = '') =>
        server.json('POST', `/tools${query}`, definition(`Semver.${name}@${version}`, { ...before, ...given }))
      expect((await publish('1.0.0', {})).status).toBe(201)
      const hidden = needed === '2.0.0' ? ['1.0.1', '1.1.0'] : ['1.0.1']
      for (const version of hidden) {
        const { status, body } = await publish(version, change)
        expect(status).toBe(422)
        const messages: string[] = body.errors.map(({ message }: { message: string }) => message)
        expect(messages.some((message) => what.test(message))).toBe(true)
        for (const message of messages) expect(message).toContain(`needs version ${needed} or higher, got ${version}`)
        expect((await server.json('GET', `/tools/Semver.${name}@${version}`)).status).toBe(404)
      }
      expect((await publish('1.0.1', change, '?allow=breaking')).status).toBe(201)
      expect((await publish(needed, change)).status).toBe(201)
    },
  )

  it('semantic versioning allows a new description in a patch, and ignores yanked versions', async () => {
    const publish = (version: string, given: object) =>
      server.json('POST', '/tools', definition(`Semver.Free@${version}`, { ...before, ...given }))
    expect((await publish('1.0.0', {})).status).toBe(201)
    expect((await publish('1.0.1', { description: 'Better' })).status).toBe(201)
    expect((await publish('2.0.0', { output_schema: null })).status).toBe(201)
    expect((await publish('2.0.1', {})).status).toBe(422)
    await server.json('PATCH', '/tools/Semver.Free@2.0.0', { status: 'yanked' })
    expect((await publish('2.0.1', {})).status).toBe(201)
    expect((await publish('0.9.0', { output_schema: null })).status).toBe(201)
  })
})

it('a registry loses nothing from 60 concurrent publishers', async () => {
  const mine = (publisher: number) =>
    Array.from({ length: 4 }, (_, n) => definition(`Crowd${publisher % 9}.P${publisher}T${n}@1.0.0`))
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, publisher) => {
      const [first, second, ...rest] = mine(publisher)
      const alone = await server.json('POST', '/tools', first)
      const other = await server.json('POST', '/tools', second)
      const batch = await server.json('POST', '/tools', rest)
      return [alone.status, other.status, ...statuses(batch.body)]
    }),
  )
  expect(new Set(answers.flat())).toEqual(new Set([201]))
  const wanted = Array.from({ length: 60 }, (_, publisher) => mine(publisher)).flat()
  const listed = new Set(ids(await walk(server, '/tools', 1_000)))
  expect(wanted.map(({ id }) => id).filter((id) => !listed.has(id))).toEqual([])
  for (const each of wanted) expect((await server.json('GET', `/tools/${each.id}`)).body).toEqual(each)
})

it('a registry accepts exactly one of 20 concurrent publications of an id, and stores that one', async () => {
  const rivals = Array.from({ length: 20 }, (_, n) => definition('Rival.Only@1.0.0', { description: `Rival ${n}` }))
  const answers = await Promise.all(rivals.map((each) => server.json('POST', '/tools', each)))
  const all = answers.map(({ status }) => status).sort()
  expect(all).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
  const winner = answers.findIndex(({ status }) => status === 201)
  expect((await server.json('GET', '/tools/Rival.Only')).body.description).toBe(`Rival ${winner}`)
})
