import { expect, it } from 'vitest'
import { ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { createCallTool } from '../../../src/core/call/call.ts'
import { type EndedCall, formatContent } from '../../../src/core/call/call-content.ts'
import type { ToolResult } from '../../../src/core/call/runner.ts'
import type { IdempotencyRecords } from '../../../src/core/call/idempotency.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { callableOf, callerWith, callWith, challengeOf, type Needs, recordWith, type World, worldOf } from './fakes.ts'

const SECRET = 'sk-0123456789abcdef'

interface Case extends World {
  readonly needs?: Needs
  readonly input?: JsonObject
  readonly schemas?: { readonly input?: JsonObject; readonly output?: JsonObject }
  readonly gives?: unknown
  readonly result?: ToolResult
  readonly principal?: Principal
  readonly isOff?: boolean
}

async function contentOf({ needs = {}, input = {}, schemas, gives = 1, result, principal, isOff, ...world }: Case) {
  const calls: (EndedCall | undefined)[] = []
  const record = { ...recordWith(needs), input: {}, output: {}, ...schemas }
  const { deps } = worldOf({ tool: callableOf(record, () => result ?? { ok: true, value: gives }), ...world })
  const writeRecord: typeof deps.writeRecord = (_, __, ___, ended) => void calls.push(ended)
  const callTool = createCallTool({ ...deps, writeRecord, ...(isOff ? {} : { recordsContent: true }) })
  const call = callWith({ input, userId: 'ann', ...(world.idempotencyRecords ? { callId: 'c1' } : {}) })
  await callTool(call, callerWith(principal ? { principal } : {}))
  const text = calls[0] && formatContent(calls[0], btoa)
  return text && JSON.parse(text)
}

const KEY: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: 'any' }

it('the content of a call is recorded only if the deployment records it and the caller can be identified', async () => {
  expect(await contentOf({ input: { a: 1 }, gives: [2] })).toEqual({ input: { a: 1 }, output: [2] })
  expect(await contentOf({ isOff: true })).toBeUndefined()
  expect(await contentOf({ principal: ANONYMOUS })).toBeUndefined()
  // Not authorized
  expect(await contentOf({ principal: { ...KEY, tools: ['Other.*'] } })).toBeUndefined()
  expect(await contentOf({ principal: { ...KEY, users: ['bob'] } })).toBeUndefined()
})

it('the content of a call contains no credential, even if its tool did not run', async () => {
  const needs = { secrets: ['KEY'], providers: ['mail'] }
  const world = { needs, secretOf: () => SECRET, tokenFor: () => ({ token: 'a-token-of-mail', account: '' }) }
  const input = { text: `it is ${SECRET}`, other: 'a-token-of-mail' }
  const redacted = { text: 'it is [redacted]', other: '[redacted]' }
  expect(await contentOf({ ...world, input, gives: SECRET })).toMatchObject({ input: redacted, output: '[redacted]' })
  expect((await contentOf({ ...world, input: { ...input, a: 'bad' } })).input).toMatchObject(redacted)
  const finished = { result: { ok: true, value: 'stored' }, durationMs: 1, finishedAt: 1 } as const
  const idempotencyRecords: IdempotencyRecords = { claim: async () => ({ state: 'finished', finished }) }
  expect(await contentOf({ ...world, input, idempotencyRecords })).toMatchObject({ input: redacted, output: 'stored' })
})

it('the content of a call that waits has the reason, and no link that would let others continue', async () => {
  const waits = [
    await contentOf({
      needs: { securityLevel: 8 },
      claim: async () => ({ reason: 'It is level 8', challenge: challengeOf('approval') }),
    }),
    await contentOf({
      needs: { providers: ['mail'] },
      tokenFor: () => ({ challenge: challengeOf('mail'), reason: 'Nobody consented' }),
    }),
    await contentOf({
      result: {
        ok: false,
        asks: { requests: { a: { method: 'elicitation/create', params: { url: 'https://x.test/go' } } }, state: 's' },
      },
    }),
    await contentOf({ result: { ok: false, failure: { message: 'Open https://edge.example/artifacts/abc?sig=1' } } }),
  ]
  expect(waits.map(({ error }) => error)).toEqual([
    'A person must approve this call first: It is level 8',
    "Tool 'Example.Tool' needs something more before it can be called: Nobody consented",
    'The tool asks for more input',
    'Open https://edge.example/artifacts/[redacted]',
  ])
  expect(JSON.stringify(waits)).not.toMatch(/of-|abc|x\.test/)
})

const MARKED = { type: 'string', writeOnly: true }
const PASSWORD = { type: 'string', format: 'password' }

it.each<[name: string, schema: JsonObject, input: JsonObject, recorded: unknown]>([
  ['a property', { properties: { a: MARKED } }, { a: 'x1y2', b: 'has x1y2' }, { a: '[redacted]', b: 'has [redacted]' }],
  [
    'a number',
    { properties: { a: { writeOnly: true } } },
    { a: 4711, b: [4711] },
    { a: '[redacted]', b: ['[redacted]'] },
  ],
  [
    'an object',
    { properties: { a: { writeOnly: true } } },
    { a: { b: ['x1y2'] }, c: 'x1y2' },
    { a: '[redacted]', c: '[redacted]' },
  ],
  ['a list', { properties: { a: { items: PASSWORD } } }, { a: ['x1y2'] }, { a: '[redacted]' }],
  [
    'an alternative',
    { properties: { a: { anyOf: [{ type: 'null' }, PASSWORD] } } },
    { a: 'x1y2' },
    { a: '[redacted]' },
  ],
  [
    'deep inside',
    { properties: { a: { items: { properties: { b: MARKED } } } } },
    { a: [{ b: 'x', c: 1 }] },
    { a: [{ b: '[redacted]', c: 1 }] },
  ],
  ['a branch', { allOf: [{ else: { properties: { b: MARKED } } }] }, { b: 'x1y2', c: 1 }, { b: '[redacted]', c: 1 }],
  [
    'a definition with properties',
    { properties: { a: { $ref: '#/$defs/D' } }, $defs: { D: { properties: { b: MARKED } } } },
    { a: { b: 'x', c: 1 } },
    { a: { b: '[redacted]', c: 1 } },
  ],
  [
    'a definition by itself',
    { properties: { a: { $ref: '#/$defs/D' } }, $defs: { D: MARKED } },
    { a: 'x1y2' },
    '[redacted]',
  ],
  ['a pattern of names', { patternProperties: { '^s': MARKED } }, { s1: 'x1y2' }, '[redacted]'],
  [
    'a name',
    {},
    { api_key: 'x1y2', max_tokens: 100, n: 100, s: 'x1y2' },
    { api_key: '[redacted]', max_tokens: '[redacted]', n: 100, s: '[redacted]' },
  ],
])('a secret is redacted in input and output if the schema marks %s', async (_, input, value, recorded) => {
  expect((await contentOf({ schemas: { input }, input: value })).input).toEqual(recorded)
  expect((await contentOf({ schemas: { output: input }, gives: value })).output).toEqual(recorded)
})

it('a secret of the input is redacted where the tool repeats it, also in an error message', async () => {
  const schemas = { input: { properties: { a: MARKED } } }
  const input = { a: 'x1y2' }
  expect((await contentOf({ schemas, input, gives: `x1y2 ${btoa('x1y2')}` })).output).toBe('[redacted] [redacted]==')
  const result = { ok: false, failure: { message: 'Not x1y2', developer_message: 'It is x1y2' } } as const
  const large = { ...input, b: 'x'.repeat(20_000) }
  expect(await contentOf({ schemas, input: large, gives: 'x1y2' })).toEqual({
    output: '[redacted]',
    too_large: ['input'],
  })
  expect((await contentOf({ schemas, input, result })).error).toBe('Not [redacted]: It is [redacted]')
})

it('a part of more than 16 KiB is only named, and integers keep their digits', async () => {
  const large = 'x'.repeat(16_383)
  expect(await contentOf({ input: { a: large }, gives: 12345678901234567890n })).toMatchObject({ too_large: ['input'] })
  expect((await contentOf({ gives: large.slice(1) })).output).toHaveLength(16_382)
  expect(await contentOf({ gives: large })).toEqual({ input: {}, too_large: ['output'] })
  expect(await contentOf({ result: { ok: false, failure: { message: large } } })).toMatchObject({
    too_large: ['error'],
  })
})
