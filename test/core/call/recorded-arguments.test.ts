import { describe, expect, it } from 'vitest'
import { recordedArguments } from '../../../src/core/call/call-record.ts'
import { createRedactor } from '../../../src/core/call/redact.ts'

const SECRET = 'sk-0123456789abcdef'
const redactor = createRedactor([SECRET], btoa)

describe('the arguments of a call, as they are recorded', () => {
  it('are what they were', () => {
    const input = { to: 'ann', cc: ['bob'], count: 3, deep: { is: true, none: null }, key: 'C major' }
    expect(recordedArguments(input, {}, undefined)).toEqual(input)
  })

  it.each(['password', 'clientSecret', 'access_token', 'API-Key', 'apikey', 'Authorization', 'pin', 'set-cookie'])(
    'say nothing of what is named %s, however deep',
    (name) => {
      expect(recordedArguments({ a: [{ [name]: { x: 'hidden' } }] }, {}, undefined)).toEqual({
        a: [{ [name]: '[redacted]' }],
      })
    },
  )

  it('say nothing of what its schema calls a secret', () => {
    const schema = {
      properties: {
        phrase: { type: 'string', writeOnly: true },
        list: { items: { properties: { door: { format: 'password' } } } },
      },
    }
    expect(recordedArguments({ phrase: 'open sesame', list: [{ door: '1234' }] }, schema, undefined)).toEqual({
      phrase: '[redacted]',
      list: [{ door: '[redacted]' }],
    })
  })

  it('hold none of the secrets that the tool was given, in a text or a name', () => {
    const recorded = recordedArguments(
      { note: `it is ${SECRET}.`, [SECRET]: 1, pad: 'x'.repeat(190) + SECRET },
      {},
      redactor,
    )
    expect(JSON.stringify(recorded)).not.toContain(SECRET.slice(0, 8))
    expect(recorded).toMatchObject({ 'note': 'it is [redacted].', '[redacted]': 1 })
  })

  it('are cut, and say so', () => {
    expect(recordedArguments({ text: 'x'.repeat(1_000) }, {}, undefined)).toEqual({
      text: `${'x'.repeat(200)}… (1000 characters)`,
    })
    const many = recordedArguments(
      { list: Array.from({ length: 100_000 }, (_, n) => `item ${n}`), after: 1 },
      {},
      undefined,
    )
    expect(JSON.stringify(many).length).toBeLessThan(8_000)
    expect(many).toMatchObject({ '…': '1 more' })
    let deep: object = {}
    for (let n = 0; n < 1_000; n++) deep = { a: deep }
    expect(
      JSON.stringify(recordedArguments({ deep: JSON.parse(JSON.stringify(deep)) }, {}, undefined)).length,
    ).toBeLessThan(500)
  })
})
