import { expect, it } from 'vitest'
import { MANIFEST_KEY, kvKey, parseKvKey } from '../../src/storage/keys.ts'

it.each([
  ['tool', 'kit.tool', 'tool/kit.tool'],
  ['record', 'd1', 'record/d1'],
  ['blob', 'd1', 'blob/d1'],
  ['page', 'd1', 'catalogue/page/d1'],
  ['name', 'send', 'name/send'],
  ['apiKey', 'd1', 'key/d1'],
  ['toolset', 'mail', 'toolset/mail'],
  ['lock', 'sha256:d1', 'lock/sha256:d1'],
  ['provider', 'a/b tool/c', 'provider/a/b tool/c'],
] as const)('the key of a %s %s is %s, as in existing KV data, and can be parsed', (kind, of, key) => {
  expect(kvKey(kind, of)).toBe(key)
  expect(parseKvKey(key)).toEqual({ kind, id: of })
})

it.each([MANIFEST_KEY, '', 'tool', 'tools/x', 'a/tool/x'])('%j is not parsed as a key of a kind', (key) => {
  expect(parseKvKey(key)).toBeUndefined()
})
