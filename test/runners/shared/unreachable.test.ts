import { expect, it } from 'vitest'
import { createUnreachable } from '../../../src/runners/shared/unreachable.ts'

const unreachable = createUnreachable(new Set(['localhost:3000']))

it.each([
  [{ kind: 'http', url: 'http://HOSTNAME/api/v3/{id}' }, '\'http://HOSTNAME\' (wanted "https:", got "http:")'],
  [{ kind: 'http', url: 'https://HOSTNAME/api' }, "'https://HOSTNAME' (the host is not a public name)"],
  [{ kind: 'http', url: 'https://10.0.0.1' }, "'https://10.0.0.1' (the address is not public)"],
  [{ kind: 'remote', url: 'http://tools.example.com/mcp' }, "'http://tools.example.com' (wanted"],
  [{ kind: 'code', allowed_hosts: ['printer.local'] }, "'https://printer.local' (the host is not a public name)"],
])('an implementation whose requests are all forbidden is reported: %j', (implementation, said) => {
  const why = unreachable(implementation)
  expect(why).toContain(`It cannot run: requests to ${said}`)
  expect(why).toContain('ALLOW_HTTP_HOSTS')
})

it("an implementation with a placeholder as its host is told to use the server's address, and otherwise how to allow the host", () => {
  const own = "Give the server's own address"
  expect(unreachable({ kind: 'http', url: 'http://HOSTNAME/api' })).toContain(own)
  const local = unreachable({ kind: 'http', url: 'http://localhost:8935/x' })
  expect(local).not.toContain(own)
  expect(local).toContain('npm run dev -- --var ALLOW_HTTP_HOSTS:localhost:8935')
  const hostile = unreachable({ kind: 'http', url: 'http://x;reboot$(id)/' })
  expect(hostile).toContain('ALLOW_HTTP_HOSTS:<host:port>')
})

it.each([
  { kind: 'http', url: 'https://api.example.com/v1/{id}' },
  { kind: 'http', url: 'http://localhost:3000/' },
  { kind: 'http', url: 'https://{region}.example.com/' },
  { kind: 'http', url: '{server}/v1' },
  { kind: 'code', allowed_hosts: ['printer.local', 'api.example.com'] },
  { kind: 'code', allowed_hosts: [] },
  { kind: 'code' },
  { kind: 'bundled' },
])('an implementation that can send requests is not reported: %j', (implementation) =>
  expect(unreachable(implementation)).toBeUndefined(),
)
