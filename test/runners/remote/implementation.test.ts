import { expect, test } from 'vitest'
import { checkRemoteImplementation } from '../../../src/runners/remote/implementation.ts'
import { definitionWith } from '../http/records.ts'

const WHOLE = { kind: 'remote', protocol: 'mcp', url: 'https://example.com/mcp', tool: 'add' }
const check = (more: object) =>
  checkRemoteImplementation({ ...WHOLE, ...more }, definitionWith([], { secrets: ['KEY'] }))

test('a remote implementation has its defaults filled in', () => {
  const credentials = [{ secret: 'KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]
  expect(check({ credentials })).toEqual({
    ok: true,
    value: {
      ...WHOLE,
      credentials: [{ source: 'secret', id: 'KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
      pass_user: false,
      timeout_ms: 30_000,
    },
  })
})

const credential = (more: object) => ({ credentials: [{ secret: 'KEY', in: 'header', name: 'x-key', ...more }] })
test.each<[string, object, string]>([
  ['another protocol', { protocol: 'soap' }, '/protocol'],
  ['no tool', { tool: '' }, '/tool'],
  ['a relative URL', { url: '/mcp' }, '/url'],
  ['another scheme', { url: 'file:///etc/passwd' }, '/url'],
  ['a password in the URL', { url: 'https://ann:secret@example.com/' }, '/url'],
  ['a variable in the URL', { url: 'https://example.com/{where}' }, '/url'],
  ['a fragment', { url: 'https://example.com/#here' }, '/url'],
  ['a secret it does not declare', credential({ secret: 'OTHER' }), '/credentials/0/secret'],
  ['a credential in the path', credential({ in: 'path' }), '/credentials/0/in'],
  ["a header of the protocol's own", credential({ name: 'Mcp-Session-Id' }), '/credentials/0/name'],
  ['a header of the connection', credential({ name: 'host' }), '/credentials/0/name'],
  ['a field nobody knows', { verify: false }, '/verify'],
  ['a user for MCP', { pass_user: true }, '/pass_user'],
  ['a timeout beyond the longest', { timeout_ms: 300_001 }, '/timeout_ms'],
])('a remote implementation cannot have %s', (_, more, path) => {
  expect(check(more)).toMatchObject({ ok: false, problems: [{ path }] })
})

test('a remote implementation writes no header twice', () => {
  const twice = [credential({}), credential({ name: 'X-Key' })].flatMap(({ credentials }) => credentials)
  expect(check({ credentials: twice })).toMatchObject({ ok: false, problems: [{ path: '/credentials/1/name' }] })
})
