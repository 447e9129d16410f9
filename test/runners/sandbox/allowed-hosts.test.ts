import { expect, it } from 'vitest'
import { parseValue } from '../../../src/core/tool/json-reader.ts'
import { isAllowedHost } from '../../../src/outbound/allowed-url.ts'
import { allowedHost } from '../../../src/runners/sandbox/credentials.ts'

it.each([
  'example.com',
  'api.example.com:8443',
  'example.com:443',
  'example.com:80',
  '127.0.0.1:9000',
  '[::1]:80',
  '[2001:db8::1]',
  'xn--bcher-kva.example',
])('an entry of allowed_hosts may be %s', (entry) =>
  expect(parseValue(allowedHost, entry)).toEqual({ ok: true, value: entry }),
)

it.each([
  '',
  ' ',
  'https://example.com',
  'example.com/',
  'example.com/path',
  'user@example.com',
  '*.example.com',
  '*',
  'EXAMPLE.com',
  'bücher.example',
  'example.com:',
  'example.com:99999',
  'a b',
  'example.com?x',
  'example.com#x',
  'example.com\\x',
  '0x7f.1',
  '[::0:1]',
  '::1',
])('an entry of allowed_hosts cannot be "%s"', (entry) =>
  expect(parseValue(allowedHost, entry)).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringMatching(/^Must be /) }],
  }),
)

it.each([
  ['https://example.com/', ['example.com'], true],
  ['https://EXAMPLE.com:443/', ['example.com'], true],
  ['https://example.com/', ['example.com:443'], true],
  ['http://example.com/', ['example.com:80'], true],
  ['http://example.com/', ['example.com:443'], false],
  ['https://example.com:8443/', ['example.com'], false],
  ['https://example.com:8443/', ['example.com:8443'], true],
  ['https://evil.example.com/', ['example.com'], false],
  ['https://example.com.evil.com/', ['example.com'], false],
  ['https://example.com@evil.com/', ['example.com'], false],
  ['https://example.com./', ['example.com'], false],
  ['https://127.1/', ['127.0.0.1'], true],
  ['https://example.com/', [], false],
])('a URL %s with %j is allowed: %s', (url, allowed, expected) => {
  expect(isAllowedHost(new URL(url), allowed)).toBe(expected)
})
