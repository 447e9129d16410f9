import { describe, expect, it } from 'vitest'
import { ConfigError, type Env, loadConfig } from '../src/env.ts'

/** Bindings are not read here; variables stand beside them. */
const configOf = (variables: Readonly<Record<string, unknown>>) => loadConfig(Object.assign({} as Env, variables))

describe("a client's secret", () => {
  const { judgeClientSecret } = configOf({ TOOL_SECRETS: '{"TWILIO_API_KEY": ["SMS.Send"]}' })

  it.each(['ADMIN_KEY', 'JWT_SECRET', 'WORKER_SECRET', 'VAULT_KEYS', 'admin_key'])("may not be '%s'", (name) => {
    expect(judgeClientSecret(name)).toContain("Switchboard's own")
  })

  it('may not be one that tools have', () => {
    expect(judgeClientSecret('TWILIO_API_KEY')).toContain('TOOL_SECRETS')
  })

  it.each(['GOOGLE_CLIENT_SECRET', 'ACME_SECRET'])("may be '%s'", (name) => {
    expect(judgeClientSecret(name)).toBeUndefined()
  })
})

describe("a well-known provider's client", () => {
  it('is read by its variable', () => {
    const { clientIdOf } = configOf({ GOOGLE_CLIENT_ID: 'g1', GITHUB_CLIENT_ID: '' })
    expect(clientIdOf('GOOGLE_CLIENT_ID')).toBe('g1')
    expect(clientIdOf('GITHUB_CLIENT_ID')).toBeUndefined()
  })

  it.each(['GOOGLE_CLIENT_ID', 'SLACK_CLIENT_SECRET'])('that is no text is found before any request: %s', (name) => {
    expect(() => configOf({ [name]: 5 })).toThrow(ConfigError)
  })
})

describe('the keys of the vault', () => {
  it('are texts, separated by commas', () => {
    const { vaultKeys, vaultKeysArePublic } = configOf({ VAULT_KEYS: ' the new key of it , the old key of it,' })
    expect(vaultKeys).toEqual(['the new key of it', 'the old key of it'])
    expect(vaultKeysArePublic).toBe(false)
  })

  it('that are too short are found before any request, and not repeated', () => {
    const load = () => configOf({ VAULT_KEYS: 'a key that is long enough,hunter2' })
    expect(load).toThrow(ConfigError)
    expect(load).not.toThrow('hunter2')
  })

  it.each([
    ['keys', 0, false],
    ['public', 0, false],
    ['open', 1, true],
  ])('that are not set: with ACCESS=%s there are %d', (access, count, isPublic) => {
    const { vaultKeys, vaultKeysArePublic } = configOf({ ACCESS: access })
    expect({ count: vaultKeys.length, isPublic: vaultKeysArePublic }).toEqual({ count, isPublic })
  })

  it('that are set count with ACCESS=open, too', () => {
    expect(configOf({ ACCESS: 'open', VAULT_KEYS: 'a key of the vault' })).toMatchObject({ vaultKeysArePublic: false })
  })
})

describe("the address of the deployment's verifier of users", () => {
  it.each(['https://app.example/who?x=1', 'http://localhost:3000/who', 'http://intranet:8080/'])('may be %s', (url) => {
    const given = { USER_VERIFIER_URL: url, ALLOW_HTTP_HOSTS: 'intranet:8080' }
    expect(configOf(given).userVerifierUrl).toBe(url)
  })

  it.each(['http://app.example/who', 'app.example', 'javascript:alert(1)', 'https://a:b@app.example'])(
    'may not be %s',
    (url) => {
      expect(() => configOf({ USER_VERIFIER_URL: url })).toThrow(ConfigError)
    },
  )
})

describe('how much one key may publish', () => {
  it('has a default, of which a part may be said', () => {
    expect(configOf({}).quota).toEqual({ documents: 10_000, bytes: 268_435_456 })
    expect(configOf({ PUBLISHER_QUOTA: '{"documents": 5}' }).quota).toEqual({ documents: 5, bytes: 268_435_456 })
  })

  it.each([5, '{"documents": -1}', { tools: 5 }, '{'])('is found to be set wrong: %j', (value) => {
    expect(() => configOf({ PUBLISHER_QUOTA: value })).toThrow('PUBLISHER_QUOTA must say how much one key may publish')
  })
})
