import { expect, it } from 'vitest'
import { MAX_RETURN, returnPath } from '../../src/sign-in/flow-cookie.ts'

const ORIGIN = 'https://tools.acme.test'

it.each(['/', '/sessions', '/authorizations/a-b_c/start', '/x?y=https://evil.test/&z=%2F%2F', '/a:b@c'])(
  'the return path may be %s',
  (path) => {
    expect(returnPath(path, ORIGIN)).toBe(path)
  },
)

it.each([
  '',
  'https://evil.test/',
  'https://tools.acme.test/sessions',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  ' //evil.test',
  '/x\\..\\..//evil.test',
  '/..//evil.test',
  '/.//evil.test',
  'javascript:alert(1)',
  'sessions',
  '@evil.test',
  '/ä',
  '/x\r\nset-cookie: a=b',
  `/${'x'.repeat(MAX_RETURN)}`,
])('the return path cannot be %j', (path) => {
  expect(returnPath(path, ORIGIN)).toBeUndefined()
})

it('the return path may have the maximum length', () => {
  expect(returnPath(`/${'x'.repeat(MAX_RETURN - 1)}`, ORIGIN)).toHaveLength(MAX_RETURN)
})

it('the return path may be as long as the request of an agent', () => {
  const path = `/connect/authorize?state=${'x'.repeat(8_000)}`
  expect(returnPath(path, ORIGIN)).toBe(path)
})

it('the return path loses its fragment', () => {
  expect(returnPath('/x?y#z', ORIGIN)).toBe('/x?y')
})
