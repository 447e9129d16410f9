import { afterAll, beforeAll, expect, it } from 'vitest'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import type { RunningServer, Server } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

/** Guessable keys, which an attacker could try offline against a text that was sealed with one of them. */
const ADMIN_KEY = 'password-of-the-admin'
const VAULT_KEYS = 'password-of-the-vault,an-older-vault-password'
const vars = { ACCESS: 'keys', ADMIN_KEY, VAULT_KEYS, JWT_SECRET: 'password-of-the-issuer-of-tokens-1' }
const GUESSES = [...Object.values(vars), ...VAULT_KEYS.split(','), '', 'switchboard', 'state', 'access', 'registry']

const TOOL = 'test_input_required_result_request_state'

/** Calls a tool that asks for input; the response contains the sealed state. */
async function call(server: RunningServer, params: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const { status, body } = await server.json(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOL, arguments: {}, _meta, ...params } },
    {
      'accept': 'application/json, text/event-stream',
      'authorization': `Bearer ${ADMIN_KEY}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': TOOL,
    },
  )
  return { status, body }
}

const confirmed = (requestState: string) => ({
  requestState,
  inputResponses: { confirm: { action: 'accept', content: { ok: true } } },
})

let server: Server
let sealed: string
beforeAll(async () => {
  server = await startWatchedServer({ vars })
  sealed = (await call(server)).body.result.requestState
})
afterAll(() => server?.stop())
afterAll(neverSilent)

it('sealed request state from the deployment continues the same call', async () => {
  expect((await call(server, confirmed(sealed))).body.result.content).toEqual([{ type: 'text', text: 'state-ok' }])
})

it.each(['state', 'cursor', 'vault', 'artifact'] as const)(
  "sealed data cannot be opened with an operator's key or a well-known key, as for %s",
  async (purpose) => {
    const ring = createKeyring(GUESSES, purpose)
    const own = await ring.seal('x', 'y')
    expect(await ring.unseal(own, 'y')).toMatchObject({ text: 'x' })
    const bound = JSON.stringify(['mcp', 'admin', null, `name:${TOOL}`, '{}'])
    expect(await ring.unseal(sealed, bound)).toBeUndefined()
    // The part before the dot identifies the key, so it would confirm a right guess even without the associated data
    const ids = await Promise.all(
      GUESSES.map(async (guess) => (await createKeyring([guess], purpose).seal('', '')).split('.')[0]),
    )
    expect(ids).not.toContain(sealed.split('.')[0])
  },
)

it('request state sealed with a guessed key is refused', async () => {
  const bound = JSON.stringify(['mcp', 'admin', null, `name:${TOOL}`, '{}'])
  for (const guess of GUESSES) {
    const forged = await createKeyring([guess], 'state').seal(`${Date.now() + 60_000} {"state":"asked"}`, bound)
    expect((await call(server, confirmed(forged))).body.error.message).toContain("'requestState' was changed")
  }
})

it('sealed data is refused by another deployment with the same keys', async () => {
  const other = await startWatchedServer({ vars })
  try {
    expect((await call(other, confirmed(sealed))).body.error.message).toContain("'requestState' was changed")
  } finally {
    await other.stop()
  }
})

it("a deployment opens its sealed data after a restart, and after its operator's keys changed", async () => {
  const before = await startWatchedServer({ vars })
  const { body } = await call(before)
  await before.stop({ keep: true })
  const changed = { ...vars, VAULT_KEYS: 'another-vault-password-now' }
  const after = await startWatchedServer({ vars: changed, persistTo: before.persistTo })
  try {
    const answer = await call(after, confirmed(body.result.requestState))
    expect(answer.body.result.content).toEqual([{ type: 'text', text: 'state-ok' }])
  } finally {
    await after.stop()
  }
})

it('a deployment returns an error, and neither seals nor opens, while its storage is unreachable', async () => {
  const without = await startWatchedServer({ vars, broken: 'Access' })
  try {
    for (const params of [{}, confirmed(sealed)]) {
      const { status, body } = await call(without, params)
      expect(status).toBe(503)
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: "Cannot read the deployment's secret" },
      })
    }
    expect((await without.json('GET', '/health')).status).toBe(200)
  } finally {
    await without.stop()
  }
})
