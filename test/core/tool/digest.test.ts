import { expect, it } from 'vitest'
import { canonicalJson, computeDigest } from '../../../src/core/tool/digest.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'

it.each<[unknown, string]>([
  [null, 'null'],
  [-0, '0'],
  [1e21, '1e+21'],
  [{ b: 1, a: [2, { d: '\u20ac', c: null }] }, '{"a":[2,{"c":null,"d":"\u20ac"}],"b":1}'],
  [{ a: undefined, b: 1 }, '{"b":1}'],
  ['\u{1f600}\n', '"\u{1f600}\\n"'],
  // RFC 8785, section 3.2.3: by UTF-16 code units
  [{ '\u{1f600}': 1, '\ufb33': 2, '1': 3, 'é': 4 }, '{"1":3,"é":4,"\u{1f600}":1,"\ufb33":2}'],
])('canonical JSON of %j', (value, text) => expect(canonicalJson(value)).toBe(text))

it.each([[NaN], [Infinity], [-Infinity], ['\ud800'], ['\udc00a'], [{ '\ud800': 1 }], [[{ a: '\ud800' }]]])(
  'there is no canonical JSON of %j',
  (value) => expect(() => canonicalJson(value)).toThrow(),
)

it.each([[undefined], [() => 1], [Symbol('x')]])('there is no canonical JSON of a value that is not JSON', (value) => {
  expect(() => canonicalJson(value)).toThrow('Cannot canonicalize a value that JSON cannot say')
})

it("a digest is the hash of the record's canonical JSON", async () => {
  const record: Omit<ToolRecord, 'digest' | 'source'> = {
    id: 'K.T@1.0.0',
    toolkit: 'K',
    tool: 'T',
    version: '1.0.0',
    name: 'K_T',
    description: 'Does it',
    input: {},
    output: null,
    requirements: { authorization: [], secrets: [], user_id: false },
    tags: ['b', 'a'],
    securityLevel: 0,
  }
  const hashed: string[] = []
  const sha256 = async (text: string) => {
    hashed.push(text)
    return `hash ${hashed.length}`
  }
  expect(await computeDigest(record, sha256)).toBe('hash 1')
  await computeDigest(Object.fromEntries(Object.entries(record).toReversed()) as typeof record, sha256)
  expect(hashed).toEqual([canonicalJson(record), canonicalJson(record)])
})
