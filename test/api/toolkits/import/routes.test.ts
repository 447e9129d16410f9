import { UNKNOWN } from '../../../../src/core/access/change-refusal.ts'
import { parseFailure } from '../../../../src/core/tool/problem.ts'
import { expect, it } from 'vitest'
import { createImportRoutes } from '../../../../src/api/toolkits/import/routes.ts'
import { ADMIN, type Principal } from '../../../../src/core/access/principal.ts'
import type { Failure } from '../../../../src/core/failure/failure.ts'
import type { Importer, ImportItem, ImportRequest } from '../../../../src/core/publish/import.ts'
import { createToolRecord } from '../../../../src/core/tool/digest.ts'
import { invalidSource } from '../../../../src/core/publish/import.ts'
import {
  definitionOf,
  documentOf,
  importedOf,
  principal,
  sha256,
  type World,
  worldOf,
} from '../../../core/publish/fakes.ts'
import { authorizerFor } from '../../../http/authorizer-for.ts'

const STATUS: Partial<Record<Failure['type'], number>> = {
  'forbidden': 403,
  'body-too-large': 413,
  'definition-invalid': 422,
}
const BODY = { from: { openapi: 'https://a.example' }, toolkit: 'Kit' }
const named = (tool: string, more: Parameters<typeof importedOf>[0] = {}): ImportItem => ({
  tool: importedOf({ tool, ...more }),
})
const KEY = { requirements: { authorization: [], secrets: [{ id: 'KEY' }], user_id: false } }

async function imports(
  items: readonly ImportItem[] | 'refused',
  {
    caller = ADMIN,
    query = '',
    body = BODY,
    version,
    listed = [],
    ...world
  }: World & { caller?: Principal; query?: string; body?: unknown; version?: string; listed?: readonly string[] } = {},
) {
  const { deps, publish, stored } = worldOf(world)
  const requests: ImportRequest[] = []
  const importer: Importer = {
    kind: 'openapi',
    async read(request) {
      requests.push(request)
      if (items === 'refused') return invalidSource({ path: '/from/openapi', message: 'Cannot be read' })
      return { ok: true, items, ...(version === undefined ? {} : { version }) }
    },
  }
  const router = createImportRoutes({
    authorize: authorizerFor(caller),
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
    importers: [importer],
    publish,
    catalog: { list: async () => ({ lines: listed }) },
    writer: deps.writer,
    yieldControl: deps.yieldControl,
    providers: { list: async () => [] },
    providerStore: { put: async () => 'created' },
    checkUrl: () => undefined,
    skills: () => ({ publishSkill: async () => UNKNOWN }),
    readSkill: async () => parseFailure('Is no skill'),
    findings: { remember: async () => undefined, forget: async () => undefined },
    toolSecrets: {
      ...deps.toolSecrets,
      secretFor: (id, tool) =>
        id === 'UNSET' ? { missing: 'It is not set' } : { value: `${id} for ${tool.toolkit}.${tool.tool}` },
      formatGrantAdvice: (id, { toolkit, tool }) => `Give '${toolkit}.${tool}' ${id}`,
    },
  })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const background = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
  const response = await router.request(`/toolkits/import${query}`, init, {}, background)
  return { status: response.status, body: await response.json(), requests, stored }
}

it("an import publishes the tools of the source, in the source's version", async () => {
  const skipped = { name: 'gone', reason: 'Is gone' }
  const { status, body, stored, requests } = await imports([named('A'), { skipped }, named('B')], {
    version: '2.0.0',
  })
  expect([status, body]).toEqual([201, { ids: ['Kit.A@2.0.0', 'Kit.B@2.0.0'], skipped: [skipped] }])
  expect(stored).toMatchObject([[{ allowBreaking: true }, { allowBreaking: true }]])
  expect(requests).toMatchObject([{ source: 'https://a.example', toolkit: 'Kit', options: {} }])
})

it('an import publishes in the requested version, which the registry then checks', async () => {
  const body = { ...BODY, version: '3.0.0', more: 1 }
  const given = await imports([named('A')], { body, version: '2.0.0' })
  expect(given.body).toEqual({ ids: ['Kit.A@3.0.0'], skipped: [] })
  expect(given.stored).toMatchObject([[{ allowBreaking: false }]])
  expect(given.requests[0]?.options).toEqual({ more: 1 })
  const allowed = await imports([named('A')], { body, query: '?allow=breaking' })
  expect(allowed.stored).toMatchObject([[{ allowBreaking: true }]])
})

it('an import stores nothing in a dry run', async () => {
  const { status, body, stored } = await imports([named('A')], { query: '?dry_run=1' })
  expect([status, stored]).toEqual([200, []])
  expect(body).toEqual({
    tools: [{ id: 'Kit.A@1.0.0', name: 'Kit_Do', path: 'A', state: 'new' }],
    skipped: [],
  })
  expect((await imports([], { query: '?dry_run=1' })).body).toEqual({ tools: [], skipped: [] })
  expect((await imports([named('A')], { query: '?dry_run=0' })).stored).toHaveLength(1)
})

it('an import reports secrets that tools need but cannot get, and tells only administrators how to allow them', async () => {
  const secrets = [{ id: 'KEY' }, { id: 'UNSET' }]
  const needy = { requirements: { ...KEY.requirements, secrets } }
  const items = [named('A', needy), named('B', needy), named('C', KEY)]
  const missing_requirements = { secrets: [{ id: 'UNSET' }] }
  const about = { tools: 2, ids: ['Kit.A@1.0.0', 'Kit.B@1.0.0'] }
  const planned = await imports(items, { query: '?dry_run=1' })
  expect(planned.body).toMatchObject({
    tools: [{ missing_requirements }, { missing_requirements }, { requirements: { secrets: [{ id: 'KEY' }] } }],
    warnings: [{ message: "Give 'Kit.*' UNSET", ...about }],
  })
  expect(planned.body).not.toHaveProperty('tools.2.missing_requirements')
  const given = await imports(items, { query: '?dry_run=1', granted: ['UNSET'] })
  expect(given.body).toMatchObject({
    warnings: [{ message: "Give 'Kit.A' UNSET" }, { message: "Give 'Kit.B' UNSET" }],
  })
  const message = "An administrator must set the secret 'UNSET' and allow it for the tool"
  const others = await imports(items, { caller: principal('Kit.*') })
  expect(others.body).toMatchObject({ ids: { length: 3 }, warnings: [{ message, ...about }] })
})

it('an import returns 200 if everything is unchanged, and 201 otherwise', async () => {
  const { version, ...definition } = definitionOf()
  const unchanged = { ...importedOf(), definition }
  const record = await createToolRecord({ ...unchanged, definition: { ...definition, version } }, sha256)
  const published = { 'kit.do': documentOf([record]) }
  const again = await imports([{ tool: unchanged }], { published })
  expect([again.status, again.body]).toEqual([200, { ids: ['Kit.Do@1.0.0'], unchanged: ['Kit.Do@1.0.0'], skipped: [] }])
  expect((await imports([{ tool: unchanged }, named('A')], { published })).status).toBe(201)
})

it('an import that yields no tool is rejected with the problems of each', async () => {
  expect(await imports([])).toMatchObject({ status: 422, body: { problems: [{ path: '/tools' }] } })
  expect(await imports([{ skipped: { name: 'gone', reason: 'Is gone' } }])).toMatchObject({
    status: 422,
    body: { problems: [{ path: '/from/openapi', message: "'gone' cannot be made: Is gone" }] },
  })
  expect(await imports('refused')).toMatchObject({ status: 422, body: { problems: [{ message: 'Cannot be read' }] } })
})

it('an import is forbidden if only rights are missing', async () => {
  const more = { caller: principal('*'), granted: ['KEY'] }
  const denied = await imports([named('A', KEY), named('B', KEY)], more)
  expect(denied).toMatchObject({
    status: 403,
    body: { type: 'forbidden', reason: expect.stringContaining("'Kit.A' may have the secret 'KEY'") },
    stored: [],
  })
  const mixed = await imports([named('A', KEY), { skipped: { name: 'gone', reason: 'Is gone' } }], more)
  expect(mixed).toMatchObject({ status: 422, body: { type: 'definition-invalid' } })
  const some = await imports([named('A', KEY), named('B')], more)
  expect(some).toMatchObject({ status: 201, body: { ids: ['Kit.B@1.0.0'], skipped: [{ name: 'A' }] } })
})

it('an importer must cover the whole toolkit, which is checked before the source is read', async () => {
  for (const pattern of ['Other.*', 'Kit.A']) {
    expect(await imports([named('A')], { caller: principal(pattern) })).toMatchObject({
      status: 403,
      body: { reason: "The credential does not cover 'Kit.*'" },
      requests: [],
    })
  }
  const reader = { ...principal('Kit.*'), scopes: ['tools:read'] } as const
  expect(await imports([], { caller: reader })).toMatchObject({ status: 403, requests: [] })
})

it('an importer must name the toolkit to use its secrets for reading the source', async () => {
  const secretOf = async (caller: Principal) => (await imports([named('A')], { caller })).requests[0]?.secret('KEY')
  expect(await secretOf(principal('Kit.*'))).toEqual({ value: 'KEY for Kit.*' })
  expect(await secretOf(ADMIN)).toEqual({ value: 'KEY for Kit.*' })
  expect(await secretOf(principal('*'))).toEqual({
    missing: "To use the secret 'KEY', the credential must name the toolkit 'Kit'",
  })
})

it.each([
  ['?dry_run=yes', BODY, 400, "Cannot read the query at 'dry_run': Must be one of '0', '1', got 'yes'"],
  ['?allow=all', BODY, 400, "Cannot read the query at 'allow': Must be 'breaking', got 'all'"],
  ['', { ...BODY, from: { mcp: 'x' } }, 422, undefined],
])('an import rejects a request such as %s %j, and reads nothing', async (query, body, status, message) => {
  const answer = await imports([named('A')], { query, body })
  expect(answer).toMatchObject({ status, requests: [], ...(message === undefined ? {} : { body: { message } }) })
})

it('a dry run reports which tools break callers and why, and which are gone from the source', async () => {
  const before = importedOf({ tool: 'Do', input: { type: 'object', properties: { a: { type: 'string' } } } })
  const record = await createToolRecord({ ...before, definition: { ...before.definition, version: '1.0.0' } }, sha256)
  const published = { 'kit.do': documentOf([record], { newest: record }) }
  const changed = importedOf({
    tool: 'Do',
    input: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
  })
  const row = (tool: string, origin: string) => [`Kit.${tool}@1.0.0`, tool, origin].join('\n')
  const own = 'source echo '
  const listed = [row('do', own), row('Odd_one', own), row('Gone', own), row('Foreign', 'mcp remote https://b.example')]
  const skipped = { name: 'odd-one', reason: 'Is odd' }
  const items = [{ tool: changed }, { skipped }]
  const dry = { published, records: [record], listed, query: '?dry_run=1' }
  expect((await imports(items, dry)).body).toMatchObject({
    tools: [{ id: 'Kit.Do@2.0.0', state: 'changed', breaking: ["Parameter 'a' is now required"] }],
    gone: ['Kit.Gone@1.0.0'],
  })
  const some = await imports(items, { ...dry, body: { ...BODY, tools: ['D*'] } })
  expect(some.body).not.toHaveProperty('gone')
})
