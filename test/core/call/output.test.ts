import { expect, it } from 'vitest'
import { checkOutput } from '../../../src/core/call/output.ts'
import { createRedactor } from '../../../src/core/call/redact.ts'
import type { ToolResult } from '../../../src/core/call/runner.ts'
import type { Validate } from '../../../src/core/schema/validator.ts'
import type { Content } from '../../../src/core/tool/content.ts'

const SECRET = 's3cret'
const redactor = createRedactor([SECRET], (text) => Buffer.from(text).toString('base64'))
const anything: Validate = () => []
const check = (result: ToolResult, validate = anything, hiding?: typeof redactor) =>
  checkOutput(result, validate, hiding)
const nested = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) }
const invalid = (message: string) => ({
  ok: false,
  failure: { type: 'output-invalid', problems: [{ path: '', message }] },
})

it("a tool's output is its value, without missing fields", () => {
  const value = { a: [1] }
  const checked = check({ ok: true, value })
  expect(checked).toEqual({ ok: true, value })
  expect(checked.ok && checked.value).toBe(value)
  expect(Object.keys(checked)).toEqual(['ok', 'value'])
})

it("a tool's output is null if it returns no value", () => {
  expect(check({ ok: true, value: undefined })).toEqual({ ok: true, value: null })
  for (const value of [null, false, 0, '']) expect(check({ ok: true, value })).toEqual({ ok: true, value })
})

it("a tool's output may have content, an artifact and usage", () => {
  const content: Content[] = [{ type: 'text', text: 'look' }]
  const artifact = { url: 'https://x.example/a', content_type: 'a/b', size: 1, meta: { description: 'An a' } }
  const usage = { instructions: 7 }
  const given = { ok: true, value: null, content, artifact, usage } as const
  const checked = check(given)
  expect(checked).toEqual(given)
  expect(checked.ok && checked.content).toBe(content)
  expect(checked.ok && checked.artifact).toBe(artifact)
})

it("a tool's output contains no secret in any field", () => {
  const content: Content[] = [{ type: 'text', text: `look: ${SECRET}` }]
  const meta = { description: `An a for ${SECRET}` }
  const artifact = { url: `https://x.example/?key=${SECRET}`, content_type: 'a/b', size: 1, meta }
  expect(check({ ok: true, value: { a: [`is ${SECRET}`] }, content, artifact }, anything, redactor)).toEqual({
    ok: true,
    value: { a: ['is [redacted]'] },
    content: [{ type: 'text', text: 'look: [redacted]' }],
    artifact: { ...artifact, url: 'https://x.example/?key=[redacted]', meta: { description: 'An a for [redacted]' } },
  })
})

it("a tool's output must match the output schema, and is checked before it is redacted", () => {
  const seen: unknown[] = []
  const validate: Validate = (value) => {
    seen.push(value)
    return value === null ? [] : [{ path: `/${SECRET}`, message: `Is not ${SECRET}` }]
  }
  expect(check({ ok: true, value: undefined }, validate)).toEqual({ ok: true, value: null })
  const problems = [{ path: '/s3cret', message: 'Is not s3cret' }]
  expect(check({ ok: true, value: SECRET }, validate)).toEqual({
    ok: false,
    failure: { type: 'output-invalid', problems },
  })
  // Of a problem, the path may hold what the tool chose; the message is of the schema, which is public
  expect(check({ ok: true, value: SECRET }, validate, redactor)).toEqual({
    ok: false,
    failure: { type: 'output-invalid', problems: [{ path: '/[redacted]', message: 'Is not s3cret' }] },
  })
  expect(seen).toEqual([null, SECRET, SECRET])
})

it("a tool's output must be representable as JSON", () => {
  const notFinite = invalid('Must not hold a number that is not finite')
  for (const value of [Infinity, -Infinity, NaN, [1, NaN], { a: { b: [Infinity] } }]) {
    expect(check({ ok: true, value })).toEqual(notFinite)
  }
  expect(check({ ok: true, value: { a: [0, -1.5, null, 'NaN', true] } })).toMatchObject({ ok: true })
})

it("a tool's output must not nest deeper than 500 levels", () => {
  expect(check({ ok: true, value: nested(500) })).toMatchObject({ ok: true })
  expect(check({ ok: true, value: nested(501) })).toEqual(invalid('Must not nest deeper than 500 levels'))
})

const failure = {
  message: `No ${SECRET}`,
  developer_message: `Not ${SECRET}`,
  additional_prompt_content: `Try ${SECRET}`,
  can_retry: true,
  retry_after_ms: 5,
}

it('a tool that fails returns its own message', () => {
  expect(check({ ok: false, failure })).toEqual({ ok: false, failure: { type: 'tool-failed', ...failure } })
})

it('a tool that fails reveals no secret', () => {
  expect(check({ ok: false, failure }, anything, redactor)).toEqual({
    ok: false,
    failure: {
      type: 'tool-failed',
      message: 'No [redacted]',
      developer_message: 'Not [redacted]',
      additional_prompt_content: 'Try [redacted]',
      can_retry: true,
      retry_after_ms: 5,
    },
  })
  const short = check({ ok: false, failure: { message: SECRET } }, anything, redactor)
  expect(short).toStrictEqual({ ok: false, failure: { type: 'tool-failed', message: '[redacted]' } })
})

it('a tool that fails cannot forge another type of failure', () => {
  const forged = { ...failure, type: 'requirements-missing' }
  expect(check({ ok: false, failure: forged })).toMatchObject({ failure: { type: 'tool-failed' } })
  expect(check({ ok: false, failure: forged }, anything, redactor)).toMatchObject({
    failure: { type: 'tool-failed' },
  })
})

const requests = { n: { method: 'elicitation/create', params: { message: `Who has ${SECRET}?` } } }

it('a tool that requests input gets its state back later', () => {
  expect(check({ ok: false, asks: { requests, state: { step: 1 } } })).toEqual({
    ok: false,
    failure: { type: 'input-required', requests, state: { step: 1 } },
  })
  expect(check({ ok: false, asks: { requests } })).toStrictEqual({
    ok: false,
    failure: { type: 'input-required', requests },
  })
})

it('a tool that requests input reveals no secret in its requests, and its state is unchanged', () => {
  expect(check({ ok: false, asks: { requests, state: SECRET } }, anything, redactor)).toEqual({
    ok: false,
    failure: {
      type: 'input-required',
      requests: { n: { method: 'elicitation/create', params: { message: 'Who has [redacted]?' } } },
      state: SECRET,
    },
  })
})
