import { expect, it } from 'vitest'
import { createUploadRoutes } from '../../../../src/api/toolkits/plugin/routes.ts'
import { ADMIN, type Principal } from '../../../../src/core/access/principal.ts'
import type { Failure } from '../../../../src/core/failure/failure.ts'
import type { PluginReader } from '../../../../src/core/publish/plugin-submission.ts'
import { plugin } from '../../../../src/dialects/plugin/definition.ts'
import { principal, type World, worldOf } from '../../../core/publish/fakes.ts'
import { authorizerFor } from '../../../http/authorizer-for.ts'

const STATUS: Partial<Record<Failure['type'], number>> = {
  'forbidden': 403,
  'conflict': 409,
  'body-too-large': 413,
  'media-type-unsupported': 415,
  'definition-invalid': 422,
}
const tool = (name: string, more: object = {}) => ({
  name,
  description: 'Does it',
  inputSchema: { type: 'object' },
  ...more,
})

/** An upload of a plugin that describes itself so; a text is its description, an object that of its tools. */
async function upload(
  described: unknown,
  {
    caller = ADMIN,
    path = '/toolkits/Box/plugin?version=1.0.0',
    type = 'application/wasm',
    bytes = 3,
    refused,
    ...world
  }: World & { caller?: Principal; path?: string; type?: string; bytes?: number; refused?: Failure } = {},
) {
  const { deps, publish, stored } = worldOf(world)
  const read: string[] = []
  const plugins: Pick<PluginReader, 'read'> = {
    async read(body, { toolkit }) {
      read.push(`${toolkit} ${body.length}`)
      if (refused?.type === 'tool-not-executable') return { ok: false, failure: refused }
      return {
        ok: true,
        described: typeof described === 'string' ? described : JSON.stringify(described),
        createImplementation: (name) => ({ kind: 'echo', tool: name }),
      }
    },
  }
  const router = createUploadRoutes({
    authorize: authorizerFor(caller),
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
    plugins,
    codec: plugin,
    publish,
    writer: deps.writer,
  })
  const init = { method: 'PUT', headers: { 'content-type': type }, body: new Uint8Array(bytes) }
  const background = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
  const response = await router.request(path, init, {}, background)
  return { status: response.status, body: await response.json(), read, stored }
}

it("an uploaded plugin's tools are all published together", async () => {
  const answer = await upload({ tools: [tool('a', { more: 1 }), tool('b')] })
  expect(answer).toMatchObject({
    status: 201,
    body: { ids: ['Box.a@1.0.0', 'Box.b@1.0.0'], warnings: [{ path: '/tools/0/more' }] },
    read: ['Box 3'],
  })
  expect(answer.stored).toMatchObject([
    [{ records: [{ implementation: { kind: 'echo', tool: 'a' } }, { id: 'Box.b@1.0.0' }], allowBreaking: false }],
  ])
})

it('an uploaded plugin may be unchanged, and may break callers if that is allowed', async () => {
  const unchanged = {
    'Box.a@1.0.0': (ids: readonly string[]) => ({
      ok: true as const,
      outcome: 'unchanged' as const,
      ids,
      warnings: [],
    }),
  }
  const answer = await upload({ tools: [tool('a')] }, { outcomes: unchanged })
  expect(answer).toMatchObject({ status: 200, body: { ids: ['Box.a@1.0.0'] } })
  const { stored } = await upload({ tools: [tool('a')] }, { path: '/toolkits/Box/plugin?version=1.0.0&allow=breaking' })
  expect(stored).toMatchObject([[{ allowBreaking: true }]])
})

it("an uploaded plugin is rejected with the registry's reason", async () => {
  const conflict = (ids: readonly string[]) => ({
    ok: false as const,
    ids,
    failure: { type: 'conflict' as const, message: 'Exists' },
  })
  expect(await upload({ tools: [tool('a')] }, { outcomes: { 'Box.a@1.0.0': conflict } })).toMatchObject({
    status: 409,
    body: { type: 'conflict', message: 'Exists' },
  })
})

it.each([
  ['no JSON', '{"tools": [', /^Its 'describe' did not give a JSON object: /],
  ['no object', '[]', /^Its 'describe' did not give a JSON object$/],
  ['no tools', '{}', /^Is required$/],
  ['a schema that is none', { tools: [tool('a', { inputSchema: { type: 'object', required: 7 } })] }, /./],
])('an uploaded plugin is rejected if it describes %s', async (_, described, message) => {
  const { status, body, stored } = await upload(described)
  expect([status, stored]).toEqual([422, []])
  expect(body).toMatchObject({ type: 'definition-invalid', problems: [{ message: expect.stringMatching(message) }] })
})

it('an uploaded plugin is rejected with the reason if it cannot be read', async () => {
  const refused = { type: 'tool-not-executable', id: 'Box', reason: 'No loader' } as const
  expect((await upload({}, { refused })).body).toEqual(refused)
})

it('an uploader must cover the whole toolkit, which is checked before the plugin is read', async () => {
  for (const pattern of ['Other.*', 'Box.a']) {
    const answer = await upload({ tools: [tool('a')] }, { caller: principal(pattern) })
    expect(answer).toMatchObject({
      status: 403,
      body: { reason: "The credential does not cover 'Box.*'" },
      read: [],
    })
  }
  expect(await upload({ tools: [tool('a')] }, { caller: principal('Box.*') })).toMatchObject({ status: 201 })
  const reader = { ...principal('Box.*'), scopes: ['tools:read'] } as const
  expect(await upload({}, { caller: reader })).toMatchObject({ status: 403, read: [] })
})

it('an uploader must name the toolkit if its tools may have a secret', async () => {
  const path = '/toolkits/Box/plugin?version=1.0.0&config=key:KEY'
  const more = { path, granted: ['KEY'] }
  const refused = await upload({ tools: [tool('a'), tool('b')] }, { ...more, caller: principal('*') })
  expect(refused).toMatchObject({
    status: 403,
    body: { reason: expect.stringContaining("'Box.a' may have the secret 'KEY'") },
    stored: [],
  })
  expect(await upload({ tools: [tool('a')] }, { ...more, caller: principal('Box.*') })).toMatchObject({ status: 201 })
})

it.each([
  ['a toolkit', { path: '/toolkits/B.ox/plugin?version=1.0.0' }, 400, /the path at 'toolkit'/],
  ['a query', { path: '/toolkits/Box/plugin' }, 400, /'version'/],
  ['a type', { type: 'text/plain' }, 415, /^application\/wasm$/],
  ['a size', { bytes: 5 * 1024 * 1024 + 1 }, 413, /^5242880$/],
])('an invalid upload is rejected because of %s, and not read', async (_, given, status, said) => {
  const answer = await upload({ tools: [tool('a')] }, given)
  expect(answer).toMatchObject({ status, read: [] })
  const { message, acceptedType, limit } = Object(answer.body)
  expect(String(message ?? acceptedType ?? limit)).toMatch(said)
})

it("an upload's media type may be in any case and have parameters", async () => {
  const answer = await upload({ tools: [tool('a')] }, { type: ' Application/WASM ; x=1' })
  expect(answer.status).toBe(201)
})
