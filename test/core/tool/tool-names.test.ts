import { expect, it } from 'vitest'
import { toToolName } from '../../../src/core/tool/sanitize-name.ts'
import { fnv1a, MAX_NAME, appendHash } from '../../../src/core/tool/tool-id.ts'

// Names that were given out must stay the same
it.each([
  ['', '811c9dc5'],
  ['a', 'e40c292c'],
  ['foobar', 'bf9cf968'],
])('the FNV-1a hash of %j is %s', (text, hash) => expect(fnv1a(text)).toBe(hash))

it.each([
  ['get-it_now', 'get-it_now'],
  ['admin.tools.list', 'admin_tools_list'],
  ['ns::get x', 'ns_get_x'],
  ['n'.repeat(64), 'n'.repeat(64)],
  ['n'.repeat(100), 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_a17d4815'],
])('the source name %s becomes the name %s', (published, name) => expect(toToolName(published)).toBe(name))

it('a suffix follows the name, which is truncated so that both fit', () => {
  expect(appendHash('Send', 'a')).toBe('Send_e40c292c')
  const cut = appendHash('n'.repeat(100), 'a')
  expect(cut).toBe(`${'n'.repeat(55)}_e40c292c`)
  expect(cut).toHaveLength(MAX_NAME)
})
