import { expect, it } from 'vitest'
import { redactArguments } from '../../../src/core/call/redact-arguments.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { createRedactor } from '../../../src/core/call/redact.ts'

const SECRET = 'sk-0123456789abcdef'
const redactor = createRedactor([SECRET], btoa)

const properties = (named: Record<string, object>): JsonObject => JSON.parse(JSON.stringify({ properties: named }))
const marked = { 'x-record': true }

it('recorded arguments have only shapes, numbers, booleans, enum values, and values that the schema marks for recording', () => {
  const schema = properties({
    to: {},
    cc: {},
    count: {},
    is: {},
    none: {},
    state: { enum: ['open', 'closed'] },
    kind: { const: 'mail' },
    note: marked,
    deep: { properties: { list: { items: { properties: { title: marked, body: {} } } } } },
  })
  const input = {
    to: 'ann',
    cc: ['bob'],
    count: 3,
    is: true,
    none: null,
    state: 'open',
    kind: 'mail',
    note: 'C major',
  }
  const deep = { list: [{ title: 'Tea', body: 'at four' }] }
  expect(redactArguments({ ...input, deep }, schema, undefined)).toEqual({
    ...input,
    to: '<3 characters>',
    cc: ['<3 characters>'],
    deep: { list: [{ title: 'Tea', body: '<7 characters>' }] },
  })
  expect(redactArguments({ state: 'a secret', kind: 'sms', note: { a: ['b'] } }, schema, undefined)).toEqual({
    state: '<8 characters>',
    kind: '<3 characters>',
    note: { a: ['b'] },
  })
})

it.each([
  ['a JSON text', JSON.stringify({ password: SECRET })],
  ['a list of headers', [{ name: 'Authorization', value: SECRET }]],
  ['pairs of headers', [['Authorization', SECRET]]],
  ['an address', `https://ann:${SECRET}@mail.example/?access_token=${SECRET}`],
  ['what is named pwd, auth or sessionid', { pwd: SECRET, auth: SECRET, sessionid: SECRET }],
  ['names', { [SECRET]: true }],
])('recorded arguments contain no secret that the tool did not receive, in %s', (_, value) => {
  for (const schema of [{}, properties({ value: {} })]) {
    expect(JSON.stringify(redactArguments({ value }, schema, undefined))).not.toContain(SECRET.slice(0, 8))
  }
})

it('recorded arguments name undeclared fields only if there are declared ones', () => {
  expect(redactArguments({ text: 'a', txet: 'b' }, properties({ text: {} }), undefined)).toEqual({
    text: '<1 characters>',
    txet: '<1 characters>',
  })
  expect(redactArguments({ map: { a: 1, b: 2 } }, properties({ map: {} }), undefined)).toEqual({
    map: { '…': '2 more' },
  })
})

it.each(['password', 'clientSecret', 'access_token', 'API-Key', 'apikey', 'Authorization', 'pin', 'set-cookie'])(
  'recorded arguments hide any field named %s, however deep',
  (name) => {
    const schema = properties({ a: { ...marked, items: { properties: { [name]: marked } } } })
    expect(redactArguments({ a: [{ [name]: { x: 'hidden' } }] }, schema, undefined)).toEqual({
      a: [{ [name]: '[redacted]' }],
    })
    expect(redactArguments({ [name]: 1234 }, properties({ [name]: {} }), undefined)).toEqual({
      [name]: '[redacted]',
    })
  },
)

it('recorded arguments hide fields that the schema declares secret', () => {
  const schema = {
    properties: {
      phrase: { type: 'string', writeOnly: true, ...marked },
      list: { items: { properties: { door: { format: 'password' } } } },
    },
  }
  expect(redactArguments({ phrase: 'open sesame', list: [{ door: '1234' }] }, schema, undefined)).toEqual({
    phrase: '[redacted]',
    list: [{ door: '[redacted]' }],
  })
})

it("recorded arguments contain none of the tool's secrets, in a value or a name", () => {
  const schema = properties({ note: marked, pad: marked })
  const recorded = redactArguments(
    { note: `it is ${SECRET}.`, [SECRET]: 1, pad: 'x'.repeat(190) + SECRET },
    schema,
    redactor,
  )
  expect(JSON.stringify(recorded)).not.toContain(SECRET.slice(0, 8))
  expect(recorded).toMatchObject({ 'note': 'it is [redacted].', '[redacted]': 1 })
})

it('recorded arguments are truncated, with a note', () => {
  const schema = properties({ text: marked, list: marked, deep: marked, after: {} })
  expect(redactArguments({ text: 'x'.repeat(1_000) }, schema, undefined)).toEqual({
    text: `${'x'.repeat(200)}… (1000 characters)`,
  })
  const list = Array.from({ length: 100_000 }, (_, n) => `item ${n}`)
  const many = redactArguments({ list, after: 1 }, schema, undefined)
  expect(JSON.stringify(many).length).toBeLessThan(8_000)
  expect(many).toMatchObject({ '…': '1 more' })
  expect(JSON.stringify(redactArguments({ after: list }, schema, undefined)).length).toBeLessThan(20_000)
  let deep: object = {}
  for (let n = 0; n < 1_000; n++) deep = { a: deep }
  const recorded = redactArguments({ deep: JSON.parse(JSON.stringify(deep)) }, schema, undefined)
  expect(JSON.stringify(recorded).length).toBeLessThan(500)
})

it('recorded arguments say how many items of a list are left out', () => {
  const list = Array.from({ length: 30 }, () => 'x'.repeat(200))
  const recorded = redactArguments({ list }, properties({ list: marked }), undefined)
  expect(recorded).toEqual({ list: [...list.slice(0, 20), '… (10 more)'] })
})
