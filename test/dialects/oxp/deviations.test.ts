import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/core/failure/failure.ts'
import { completeInput } from '../../../src/core/call/input.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import type { Catalog } from '../../../src/core/catalog/catalog.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { respondWithStream } from '../../../src/dialects/oxp/answer-call.ts'
import { oxp } from '../../../src/dialects/oxp/definition.ts'
import { toListLine } from '../../../src/dialects/oxp/encode.ts'
import { createOxpRoutes } from '../../../src/dialects/oxp/routes.ts'
import { NO_TASKS } from '../no-tasks.ts'
import { decodeCall, encodeOutcome } from '../../../src/dialects/oxp/wire.ts'
import { callerWith, callWith } from '../../core/call/fakes.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'
import { callToolGiving, catalogueOf, clientOf, sha256 } from '../machine-context/fakes.ts'
import { recordOf } from '../machine-context/record.ts'

/** Each row of src/dialects/oxp/DEVIATIONS.md, in its order. */
const DOCUMENT = { id: 'Kit.Add@1.0.0', name: 'Add', description: 'Adds', version: '1.0.0', output_schema: null }

function decoded(document: JsonObject) {
  const read = oxp.decode(document, {})
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}

describe('where we deviate from OXP 1.0', () => {
  it.each([[{}], [{ type: 'object' }], [{ parameters: { type: 'object' } }]])(
    'parameters may be missing: %j is an input schema, and is listed with them',
    (input_schema) => {
      const [definition] = decoded({ ...DOCUMENT, input_schema }).definitions
      const line = toListLine(recordOf({ ...definition, source: { dialect: 'oxp', document: DOCUMENT } }))
      expect(JSON.parse(line).input_schema).toEqual({ parameters: definition?.input })
    },
  )

  it('warns about a parameter without a description', () => {
    const input_schema = { parameters: { type: 'object', properties: { a: { type: 'number' } } } }
    expect(decoded({ ...DOCUMENT, input_schema }).warnings).toEqual([
      { path: '/input_schema/parameters/properties/a', message: "Parameter 'a' has no description" },
    ])
  })

  it('refuses a version other than x.y.z, and does not list it', () => {
    expect(oxp.decode({ ...DOCUMENT, id: 'Kit.Add@1.0.0-rc.1', version: '1.0.0-rc.1' }, {}).ok).toBe(false)
    expect(toListLine(recordOf({ version: '1.0.0-rc.1' }))).toBe('')
  })

  it('refuses a version with numbers of more than 15 digits', () => {
    const version = `1.0.${'9'.repeat(15)}`
    expect(oxp.decode({ ...DOCUMENT, input_schema: {}, id: `Kit.Add@${version}`, version }, {}).ok).toBe(true)
    expect(
      oxp.decode({ ...DOCUMENT, input_schema: {}, id: `Kit.Add@${version}9`, version: `${version}9` }, {}).ok,
    ).toBe(false)
  })

  it('writes other characters of an id as underscores, and reports the loss', () => {
    const { document, losses } = oxp.encode(recordOf({ toolkit: 'my-kit' }))
    expect(document).toMatchObject({ id: 'my_kit.Tool@1.0.0' })
    expect(losses.map(({ path }) => path)).toEqual(['/toolkit'])
  })

  it('lists only the first of two requirements with the same id', () => {
    const authorization = [{ id: 'a', oauth2: { scopes: ['x'] } }, { id: 'a' }, { id: 'b' }]
    const requirements = { authorization, secrets: [{ id: 'K' }, { id: 'K' }], user_id: true, more: 1 }
    const document = { ...DOCUMENT, requirements }
    const { id: _, ...listed } = JSON.parse(toListLine(recordOf({ source: { dialect: 'oxp', document } })))
    expect(listed.requirements).toEqual({
      authorization: [authorization[0], authorization[2]],
      secrets: [{ id: 'K' }],
      user_id: true,
      more: 1,
    })
    expect(oxp.encode(recordOf({ source: { dialect: 'oxp', document } })).document).toEqual(document)
  })

  it('writes a recursive reference as anything, and reports the loss', () => {
    const { document, losses } = oxp.encode(recordOf({ output: { type: 'array', items: { $ref: '#' } } }))
    expect(document).toMatchObject({ output_schema: { type: 'array', items: {} } })
    expect(losses.map(({ path }) => path)).toEqual(['/output/items/$ref'])
  })

  it('encodes content and artifacts as the value if there is none', () => {
    const value = (result: object) =>
      encodeOutcome({ callId: 'c', durationMs: 1, result: { ...ok(null), ...result } }, 'bare')
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const artifact = { url: 'https://here/a', content_type: 'text/csv', size: 9, meta: { description: 'All rows' } }
    const texts = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    expect(value({ content: texts })).toMatchObject({ value: 'one\ntwo' })
    expect(value({ content: [...texts, image] })).toMatchObject({ value: { content: [...texts, image] } })
    expect(value({ artifact })).toMatchObject({ value: { artifact } })
    expect(value({ artifact, content: texts })).toMatchObject({ value: { artifact, content: texts } })
    expect(value({ content: [] })).toMatchObject({ value: null })
    expect(value({ content: texts, value: 7 })).toMatchObject({ value: 7 })
  })

  it('encodes an offloaded value as a link in the value, beside the result, or in an error', () => {
    const artifact = { url: 'https://here/a', content_type: 'text/csv', size: 9, meta: { description: 'All rows' } }
    const answer = (value: unknown, form: 'bare' | 'enveloped' = 'bare') =>
      encodeOutcome({ callId: 'c', durationMs: 1, result: { ...ok(value), elsewhere: artifact } }, form)
    expect(answer({ artifact })).toMatchObject({ success: true, value: { artifact } })
    const result = { call_id: 'c', success: true, duration: 1 }
    expect(answer(undefined, 'enveloped')).toEqual({ $schema: 'urn:oxp:1.0', result, artifact })
    const error = { message: 'The output is at https://here/a', can_retry: false, artifact }
    expect(answer(undefined)).toMatchObject({ success: false, error })
    expect(answer(undefined)).not.toHaveProperty('value')
  })

  it.each([
    [{ more: 1 }, {}],
    [{ userid: 'ann' }, { type: 'request-malformed' }],
  ])('refuses unknown fields of a context only if their names are close to known ones: %j', (context, failure) => {
    const call = decodeCall({ request: { tool_id: 'Kit.Add', context } })
    if ('ok' in call) throw new Error(JSON.stringify(call))
    const tool = { record: recordOf({}), contextParameters: [], validateInput: () => [] }
    const checked = completeInput(call, tool, undefined, createBudget(Infinity))
    expect(checked).toMatchObject('type' in failure ? { ok: false, failure } : { ok: true })
    expect(decodeCall({ request: { tool_id: 'Kit.Add' }, more: 1 })).toMatchObject({ ok: false })
  })

  it('lists every tool in one response, and at most 100 in a search or of all versions', async () => {
    const limits: number[] = []
    const catalog: Catalog = {
      ...catalogueOf([]),
      async list({ limit }) {
        limits.push(limit)
        return { lines: [] }
      },
    }
    const router = createOxpRoutes({
      loadTasks: async () => NO_TASKS,
      authorize: authorizerFor(),
      callTool: callToolGiving(ok(1)).callTool,
      health: async () => new Response(),
      catalog,
      sha256,
      formatNames: [],
      loadFormats: async () => ({ formats: new Map(), codecs: [] }),
    })
    for (const query of ['', '?q=mail', '?versions=all', '?limit=7']) await clientOf(router)('GET', `/tools${query}`)
    expect(limits).toEqual([Infinity, 100, 100, 7])
  })

  it('refuses ids that are too long, and types other than object', () => {
    const decode = (given: JsonObject) => oxp.decode({ ...DOCUMENT, input_schema: {}, ...given }, {})
    const idOf = (part: string) => ({ id: `Kit.${part}@1.0.0` })
    expect([decode(idOf('a'.repeat(64))).ok, decode(idOf('a'.repeat(65))).ok]).toEqual([true, false])
    const requiring = (id: string) => ({ requirements: { authorization: [{ id }], secrets: [{ id }] } })
    expect([decode(requiring('~'.repeat(128))).ok, decode(requiring('~'.repeat(129))).ok]).toEqual([true, false])
    const typed = (type: Json) => ({ input_schema: { parameters: { type } } })
    expect([decode(typed(['object'])).ok, decode(typed(['object', 'null'])).ok]).toEqual([true, false])
    for (const [call_id, ok] of [
      ['c'.repeat(256), true],
      ['c'.repeat(257), false],
    ] as const)
      expect('ok' in decodeCall({ request: { tool_id: 'Kit.Add', call_id } })).toBe(!ok)
  })

  it('sends progress and then the body to a request for server-sent events', async () => {
    const request = new Request('https://x.test/tools/call', { method: 'POST' })
    const response = await respondWithStream(request, callWith(), callerWith(), 'bare', async (_, { progress }) => {
      progress?.({ progress: 1 })
      await new Promise((later) => setTimeout(later))
      return { callId: 'c', durationMs: 1, result: ok(3) }
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const result = { call_id: 'c', success: true, duration: 1, value: 3 }
    expect(await response.text()).toBe(
      `event: progress\ndata: {"progress":1}\n\nevent: result\ndata: ${JSON.stringify(result)}\n\n`,
    )
  })
})
