import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRedactor } from '../../../src/core/call/redact.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const redact = (secret: string, text: string) => createRedactor([secret], base64)?.text(text) ?? text
const SECRET = 's3cret/with+odd "signs"\\and ümlaut!'

it.each([
  ['as it is', SECRET],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['percent-encoded in lower case', encodeURIComponent(SECRET).toLowerCase().replace('s3cret', 's3cret')],
  ['in a form', new URLSearchParams({ '': SECRET }).toString().slice(1)],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
  ['in Base64', base64(SECRET)],
  ['in Base64 without padding', base64(SECRET).replace(/=+$/, '')],
  ['in Base64url', Buffer.from(SECRET).toString('base64url')],
])('redaction finds a secret %s', (_, spelling) => {
  expect(redact(SECRET, `before ${spelling}`)).toMatch(/^before \[redacted\]=*$/)
})

it('redaction finds a secret in Base64 wherever it is in the encoded text', () => {
  const secret = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(fc.string(), secret, fc.string(), (before, each, after) => {
      const text = redact(each, base64(before + each + after))
      expect(text).toContain('[redacted]')
      // What is left of it is at most the bits it shares with its neighbors
      const left = base64(before + each + after).length - text.replace('[redacted]', '').length
      expect(left).toBeGreaterThanOrEqual(Math.floor((Buffer.byteLength(each) * 8) / 6) - 2)
    }),
  )
})

it.each([
  ['unpadded', 'c2VjcmV0MQ==', 'c2VjcmV0MQ', 'c2VjcmV0MQ==', 'c2VjcmV0MQ='],
  ['in wrapped lines', 'q83vL0f5KvN+7xI0Z', 'q83vL0f5\n  KvN+7xI0Z', 'q83v-L0f5-KvN7-xI0Z'],
  [
    'escaped at several levels',
    'q8+3/v',
    'q8\\\\u002b3\\\\/v',
    'q8&amp;#43;3&#x2F;v',
    'q8%252B3%252fv',
    'q8\\u0026#43;3%2Fv',
  ],
  ['between tags', 'q8+3/v', 'q8<wbr>+3<b class="x">/</b>v', 'q8\\u003cb\\u003e+3/v'],
  ['that itself reads as escaped', 'a%41b+c\\n/d', 'a%41b+c\\n/d', 'a%2541b%2Bc%5Cn%2Fd', 'a%41b\\u002bc\\\\n/d'],
  ['of another script', 'ключ+ü9', '%D0%BA%D0%BB%D1%8E%D1%87%2B%C3%BC9', '\\u043a\\u043b\\u044e\\u0447+\\u00fc9'],
])('redaction finds a secret %s', (_, secret, ...spellings) => {
  for (const spelling of spellings) expect(redact(secret, `a ${spelling} b`)).toMatch(/^a \[redacted\] b$/)
})

it('redaction leaves text that only resembles a secret', () => {
  const text = 'The pass word is %20 & \\u0041, 100%, <b>Pass</b>word! q83v L0f5'
  for (const secret of ['Pass word!', 'password', 'q83vL0f5Kv', 'The-pass-word'])
    expect(redact(secret, text)).toBe(text)
})

it('redaction finds the long parts of a compound secret, and leaves the short ones', () => {
  const secret = `AC${'1'.repeat(32)}:${'f00d'.repeat(8)}:+1555`
  expect(redact(secret, `token ${'f00d'.repeat(8)} from +1555`)).toBe('token [redacted] from +1555')
  expect(redact(secret, `Basic ${base64(`user:${'f00d'.repeat(8)}`)}`)).toContain('[redacted]')
})

it('redaction treats a part of 16 characters as a secret, and one of 15 as a word', () => {
  const part = (length: number) => 'p'.repeat(length)
  expect(redact(`user:${part(16)}`, `is ${part(16)}`)).toBe('is [redacted]')
  expect(redact(`user:${part(15)}`, `is ${part(15)}`)).toBe(`is ${part(15)}`)
  for (const between of [':', ';', ',', '&', ' ', '\n', '"', '; ']) {
    const text = redact(`${part(16)}${between}${'q'.repeat(16)}`, `is ${'q'.repeat(16)}, ${part(16)}`)
    expect(text).toBe('is [redacted], [redacted]')
  }
  const many = Array.from({ length: 33 }, (_, index) => `part-number-${1000 + index}`)
  const redactor = createRedactor([many.join(':')], base64)
  expect(many.map((each) => redactor?.text(`is ${each}`)).slice(-2)).toEqual(['is [redacted]', 'is part-number-1032'])
})

it('redaction replaces a secret that contains another as a whole', () => {
  const redactor = createRedactor(['abcd', 'abcdefgh'], base64)
  expect(redactor?.text('abcdefgh abcd')).toBe('[redacted] [redacted]')
})

it('redaction replaces a short secret only if it is the whole text', () => {
  expect(redact('abc', 'abc')).toBe('[redacted]')
  expect(redact('abc', 'the abc')).toBe('the abc')
  expect(redact('abcd', 'the abcd')).toBe('the [redacted]')
  expect(redact('abc', base64('abc'))).toBe(base64('abc'))
  expect(createRedactor(['', 'abc'], base64)?.text('')).toBe('')
})

it.each([
  ['a&b c', 'a%26b%20c', 'a%26b+c'],
  ["it's(all)!~*", 'it%27s%28all%29%21%7e*', 'it%27s%28all%29%21%7E*', "it's(all)!~*"],
  ['ümlaut/', '%c3%bcmlaut%2f', '%C3%BCmlaut%2F'],
  ['tab\there', 'tab\\there', 'tab%09here'],
])('redaction finds %j as encoded in URLs, forms and JSON', (secret, ...spellings) => {
  for (const spelling of spellings) expect(redact(secret, `a ${spelling} b`)).toBe('a [redacted] b')
})

it.each(['four', 'seven77', 'fifteen-letters', 'eight888', 'nine99999'])(
  'redaction leaves nothing of %s in Base64',
  (secret) => {
    const encoded = base64(secret)
    expect(redact(secret, `is ${encoded}!`)).toBe(`is [redacted]${'='.repeat(encoded.split('=').length - 1)}!`)
  },
)

it('redaction finds a secret inside Base64url text', () => {
  const secret = '>>>???>>>???'
  for (const before of ['', 'a', 'ab', 'abc']) {
    const text = redact(secret, Buffer.from(`${before}${secret}and more`).toString('base64url'))
    expect(text).toContain('[redacted]')
    expect(text).not.toMatch(/-Pj4|8_Pz|Pj4-/)
  }
})

it.each([
  ['12345678901234567890', 'has more digits than a number keeps'],
  ['-12345678901234567', 'is negative'],
  ['0001234567', 'begins with zeros'],
  ['1234567890123456789012345', 'is written with an exponent'],
  ['AC0123456789abcdef:12345678901234567891', 'is a part of another'],
])('redaction finds the secret %s as a number, if it %s', (secret) => {
  const digits = secret.split(':').at(-1) ?? ''
  const number: unknown = JSON.parse(digits.replace(/^0+/, ''))
  const redactor = createRedactor([secret], base64)
  expect(redactor?.value({ number, listed: [number], text: `is ${String(number)}` })).toEqual({
    number: '[redacted]',
    listed: ['[redacted]'],
    text: expect.stringMatching(/^is -?\[redacted\]$/),
  })
  expect(redactor?.value({ other: 1234, zero: 0 })).toEqual({ other: 1234, zero: 0 })
})

it('redaction replaces names and numbers in values, and returns the same value if there is nothing to redact', () => {
  const redactor = createRedactor(['123456', 'name'], base64)
  expect(redactor?.value({ a: [123456, 'x123456'], name: true })).toEqual({
    'a': ['[redacted]', 'x[redacted]'],
    '[redacted]': true,
  })
  const value = { a: [1, { b: null }], c: 'nothing' }
  expect(redactor?.value(value)).toBe(value)
})

it('redaction changes only strings, numbers and names, and copies no more than necessary', () => {
  const redactor = createRedactor(['123', 'true', 'null', 'secret'], base64)
  const kept = { deep: [1] }
  const value = { a: kept, b: ['secret', kept], c: true, d: null, e: undefined }
  const safe = redactor?.value(value)
  expect(safe).toStrictEqual({ ...value, b: ['[redacted]', kept] })
  expect(safe?.a).toBe(kept)
  expect(safe?.b[1]).toBe(kept)
  expect(redactor?.value(123)).toBe('[redacted]')
  expect(redactor?.value(1234)).toBe(1234)
  expect(redactor?.value(['123', 123])).toEqual(['[redacted]', '[redacted]'])
  expect(redactor?.value({ secret: 1 })).toEqual({ '[redacted]': 1 })
  const list = [1, 'x']
  expect(redactor?.value(list)).toBe(list)
})

it('redaction treats names such as __proto__ as plain names', () => {
  const value: unknown = JSON.parse('{"__proto__": {"x": "123456"}}')
  const safe = createRedactor(['123456'], base64)?.value(value)
  expect(JSON.stringify(safe)).toBe('{"__proto__":{"x":"[redacted]"}}')
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

it('redaction is not needed without a secret', () => {
  expect(createRedactor([], base64)).toBeUndefined()
  expect(createRedactor([''], base64)).toBeUndefined()
})

it('redaction accepts any secret', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 4 }), (secret) => {
      expect(redact(secret, `a ${secret} b`)).not.toContain(` ${secret} `)
      redact('\ud800abc', secret)
    }),
  )
})
