import { expect, it } from 'vitest'
import { sanitizeName, sanitizeNames } from '../../../src/core/tool/sanitize-name.ts'

it.each([
  ['add', 'add'],
  ['_private_', '_private_'],
  ['unique-tool-id', 'unique_tool_id'],
  ['with.dot', 'with_dot'],
  ['com.example:tool', 'com_example_tool'],
  ['My Tool', 'My_Tool'],
  [' a -- b ', 'a_b'],
  ['ünïcode', 'unicode'],
  ['550e8400-e29b-41d4-a716-446655440000', '550e8400_e29b_41d4_a716_446655440000'],
])('the name made from %j is %s', (text, name) => {
  expect(sanitizeName(text)).toBe(name)
})

it.each(['工具', 'б-1', '...', 'a'.repeat(65), `${'long '.repeat(20)}`, 'tool №5 ы', 'ß'])(
  'the name made from %j is distinct and valid',
  (text) => {
    const name = sanitizeName(text)
    expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/)
    expect(sanitizeName(text)).toBe(name)
    expect(sanitizeName(`${text}'`)).not.toBe(name)
  },
)

it.each(['_', '-', '.', ' ', 'a', 'é', '工'])('a name of 4 MB of %j becomes a valid name', (sign) => {
  const name = sanitizeName(`a${sign.repeat(4 * 1024 * 1024)}b`)
  expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/)
})

it('names in one place are never the same ignoring case, in any order', () => {
  const texts = ['get forecast', 'get.forecast', 'add', 'ADD', 'get_forecast']
  const made = sanitizeNames(texts)
  expect(made.get('add')).toBe('add')
  expect(made.get('get_forecast')).toBe('get_forecast')
  expect(new Set([...made.values()].map((name) => name.toLowerCase())).size).toBe(texts.length)
  expect(new Map([...sanitizeNames(texts.toReversed())].sort())).toEqual(new Map([...made].sort()))
})
