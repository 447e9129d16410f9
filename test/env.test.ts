import { expect, it } from 'vitest'
import { ConfigError, type Env, loadConfig } from '../src/env.ts'

/** Has only variables, since these tests read no bindings. */
const configOf = (variables: Readonly<Record<string, unknown>>) => loadConfig(Object.assign({} as Env, variables))

const WEBHOOK_SECRET = `whsec_${'abcd'.repeat(8)}`

const { checkClientSecret } = configOf({ TOOL_SECRETS: '{"TWILIO_API_KEY": ["SMS.Send"]}' })

it.each([
  'ADMIN_KEY',
  'JWT_SECRET',
  'WORKER_SECRET',
  'VAULT_KEYS',
  'FINDINGS_WEBHOOK_SECRET',
  'SIGN_IN_CLIENT_SECRET',
  'admin_key',
])("the secret of a client cannot be '%s'", (name) => {
  expect(checkClientSecret(name)).toContain("Switchboard's own")
})

it('the secret of a client cannot be one that tools have', () => {
  expect(checkClientSecret('TWILIO_API_KEY')).toContain('TOOL_SECRETS')
})

it.each(['GOOGLE_CLIENT_SECRET', 'ACME_SECRET'])("the secret of a client can be '%s'", (name) => {
  expect(checkClientSecret(name)).toBeUndefined()
})

it('the client of a well-known provider is read by its variable', () => {
  const { readVariable } = configOf({ GOOGLE_CLIENT_ID: 'g1', GITHUB_CLIENT_ID: '' })
  expect(readVariable('GOOGLE_CLIENT_ID')).toBe('g1')
  expect(readVariable('GITHUB_CLIENT_ID')).toBeUndefined()
})

it.each(['GOOGLE_CLIENT_ID', 'SLACK_CLIENT_SECRET'])(
  'the client of a well-known provider that is not text is reported before any request: %s',
  (name) => {
    expect(() => configOf({ [name]: 5 })).toThrow(ConfigError)
  },
)

it.each([
  ['keys', undefined, false],
  ['public', undefined, false],
  ['open', undefined, true],
  ['keys', 'true', true],
  ['open', 'false', false],
])('the demo tools with ACCESS=%s and DEMO_TOOLS=%s: %s', (ACCESS, DEMO_TOOLS, served) => {
  expect(configOf({ ACCESS, DEMO_TOOLS }).servesDemos).toBe(served)
})

it("the demo tools accept only 'true' or 'false'", () => {
  expect(() => configOf({ DEMO_TOOLS: 'yes' })).toThrow("DEMO_TOOLS must be 'true' or 'false', got 'yes'")
})

it('the keys of the vault are texts, separated by commas', () => {
  const { vaultKeys, vaultKeysArePublic } = configOf({ VAULT_KEYS: ' the new key of it , the old key of it,' })
  expect(vaultKeys).toEqual(['the new key of it', 'the old key of it'])
  expect(vaultKeysArePublic).toBe(false)
})

it('the keys of the vault that are too short are reported before any request, without quoting them', () => {
  const load = () => configOf({ VAULT_KEYS: 'a key that is long enough,hunter2' })
  expect(load).toThrow(ConfigError)
  expect(load).not.toThrow('hunter2')
})

it.each([
  ['keys', 0, false],
  ['public', 0, false],
  ['open', 1, true],
])('the keys of the vault that are not set: with ACCESS=%s there are %d', (access, count, isPublic) => {
  const { vaultKeys, vaultKeysArePublic } = configOf({ ACCESS: access })
  expect({ count: vaultKeys.length, isPublic: vaultKeysArePublic }).toEqual({ count, isPublic })
})

it('the keys of the vault that are set are also used with ACCESS=open', () => {
  expect(configOf({ ACCESS: 'open', VAULT_KEYS: 'a key of the vault' })).toMatchObject({ vaultKeysArePublic: false })
})

it.each(['https://app.example/who?x=1', 'http://localhost:3000/who', 'http://intranet:8080/'])(
  'the address of the user verifier may be %s',
  (url) => {
    const given = { USER_VERIFIER_URL: url, ALLOW_HTTP_HOSTS: 'intranet:8080' }
    expect(configOf(given).userVerifierUrl).toBe(url)
  },
)

it.each(['http://app.example/who', 'app.example', 'javascript:alert(1)', 'https://a:b@app.example'])(
  'the address of the user verifier cannot be %s',
  (url) => {
    expect(() => configOf({ USER_VERIFIER_URL: url })).toThrow(ConfigError)
  },
)

it('the publication quota of a key has a default, of which a part can be set', () => {
  expect(configOf({}).quota).toEqual({ documents: 10_000, bytes: 268_435_456 })
  expect(configOf({ PUBLISHER_QUOTA: '{"documents": 5}' }).quota).toEqual({ documents: 5, bytes: 268_435_456 })
})

it.each([5, '{"documents": -1}', { tools: 5 }, '{'])(
  'the publication quota of a key is refused if it is invalid: %j',
  (value) => {
    expect(() => configOf({ PUBLISHER_QUOTA: value })).toThrow('PUBLISHER_QUOTA must say how much one key may publish')
  },
)
it('the settings for tools are refused with the reason, without quoting what may be a secret', () => {
  const wrong = () => configOf({ TOOL_SECRETS: { SMS_KEY: ['not a pattern'] } })
  expect(() => configOf({ TOOL_SECRETS: { ADMIN_KEY: ['*'] } })).toThrow("TOOL_SECRETS must not hand out 'ADMIN_KEY'")
  expect(wrong).toThrow('TOOL_SECRETS must map secret names to tool patterns')
  expect(wrong).not.toThrow('not a pattern')
})

it('the size of an inline output is 4 MiB, or less if configured', () => {
  expect(configOf({}).inlineBytes).toBe(4_194_304)
  expect(configOf({ INLINE_BYTES: '1000' }).inlineBytes).toBe(1_000)
  expect(configOf({ INLINE_BYTES: 1_000 }).inlineBytes).toBe(1_000)
})

it.each([0, '4194305', '1 MiB'])('the size of an inline output is refused if it is invalid: %j', (value) => {
  expect(() => configOf({ INLINE_BYTES: value })).toThrow('INLINE_BYTES must be how many bytes of JSON')
})

it('the recorded calls are all of them, or those that are configured', () => {
  expect(configOf({}).recordCalls).toBe('all')
  expect(configOf({}).logCalls).toBe('all')
  expect(configOf({ LOG_CALLS: 'none' }).logCalls).toBe('none')
  expect(configOf({ RECORD_CALLS: 'failures' }).recordCalls).toBe('failures')
  expect(() => configOf({ RECORD_CALLS: 'some' })).toThrow(
    "RECORD_CALLS must be 'all', 'failures' or 'none', got 'some'",
  )
})

const client = { SIGN_IN_ISSUER: 'https://id.test', SIGN_IN_CLIENT_ID: 'c1', SIGN_IN_CLIENT_SECRET: 's1' }
const jwks = { JWT_JWKS_URL: 'https://id.test/jwks', JWT_ISSUER: 'https://id.test' }

it('sign-in is with a provider, a client and its secret', () => {
  expect(configOf({}).signIn).toBeUndefined()
  expect(configOf(client)).toMatchObject({
    signIn: { issuer: 'https://id.test', clientId: 'c1', clientSecret: 's1' },
    hasSeveralIssuers: false,
  })
  expect(configOf({ ...client, ...jwks }).hasSeveralIssuers).toBe(false)
  const others = { ...client, ...jwks, JWT_ISSUER: 'https://other.test' }
  expect(configOf(others).hasSeveralIssuers).toBe(true)
})

it('sign-in has rules, and claims that name users and groups', () => {
  const rules = [{ group: 'staff', scopes: ['tools:read'], toolkits: ['Gmail'] }]
  const read = [{ group: 'staff', scopes: ['tools:read'], tools: ['Gmail.*'] }]
  expect(configOf({ SIGN_IN_RULES: JSON.stringify(rules), ...jwks }).jwt).toMatchObject({
    people: { claims: { groups: 'groups' }, rules: read },
  })
  const named = configOf({ SIGN_IN_RULES: rules, SIGN_IN_USER: 'oid', SIGN_IN_GROUPS: 'roles', ...client })
  expect(named.people).toEqual({ issuer: 'https://id.test', claims: { user: 'oid', groups: 'roles' }, rules: read })
})

it.each([
  [{ ...client, SIGN_IN_CLIENT_ID: undefined }, 'SIGN_IN_CLIENT_ID'],
  [{ ...client, SIGN_IN_CLIENT_SECRET: '' }, 'SIGN_IN_CLIENT_SECRET'],
  [
    { FINDINGS_WEBHOOK_URL: 'http://hook.test', FINDINGS_WEBHOOK_SECRET: WEBHOOK_SECRET },
    'FINDINGS_WEBHOOK_URL must be',
  ],
  [{ FINDINGS_WEBHOOK_URL: 'https://hook.test' }, 'need each other'],
  [{ FINDINGS_WEBHOOK_SECRET: WEBHOOK_SECRET }, 'need each other'],
  [{ FINDINGS_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'FINDINGS_WEBHOOK_SECRET must be'],
  [{ COMPARISON_SECONDS: '-1' }, 'COMPARISON_SECONDS must be'],
  [{ CONNECT_ISSUER: 'http://id.test' }, 'CONNECT_ISSUER must be'],
  [{ CONNECT_ISSUER: 'https://id.test', JWT_JWKS_URL: 'https://keys.test' }, 'JWT_ISSUER must say'],
  [{ PUBLIC_URL: 'tools.test' }, "got 'tools.test'"],
  [{ PUBLIC_URL: 'https://tools.test/mcp' }, "such as 'https://tools.example.com'"],
  [{ PUBLIC_URL: 'https://tools.test?x' }, 'PUBLIC_URL must be'],
  [{ PUBLIC_URL: 'https://a@tools.test' }, 'PUBLIC_URL must be'],
  [{ PUBLIC_URL: 'ftp://tools.test' }, 'PUBLIC_URL must be'],
  [{ ALLOW_ORIGINS: 'https://a.test/' }, "got 'https://a.test/'"],
  [{ ALLOW_ORIGINS: '*' }, "got '*'"],
  [{ ALLOW_ORIGINS: 'https://A.test' }, "got 'https://A.test'"],
  [{ ALLOW_ORIGINS: 'null' }, "got 'null'"],
  [{ SIGN_IN_CLIENT_ID: 'c1' }, 'need SIGN_IN_ISSUER'],
  [{ ...client, SIGN_IN_ISSUER: 'http://id.test' }, 'an https URL'],
  [{ ...client, SIGN_IN_ISSUER: 'https://id.test?x' }, 'an https URL'],
  [{ ...client, SIGN_IN_ISSUER: 'https://a:b@id.test' }, 'an https URL'],
  [{ ...client, JWT_JWKS_URL: 'https://id.test/jwks' }, 'JWT_ISSUER must say'],
  [{ SIGN_IN_RULES: '[{' }, 'SIGN_IN_RULES must be a list'],
  [{ SIGN_IN_RULES: '[{"domain": "Acme.com"}]' }, "Cannot read SIGN_IN_RULES at '0.domain': Must be a domain"],
  [{ SIGN_IN_RULES: '{"domain": "acme.com"}' }, 'Cannot read SIGN_IN_RULES: Must be an array'],
])('sign-in %j is refused: %s', (variables, why) => {
  const load = () => configOf(variables)
  expect(load).toThrow(ConfigError)
  expect(load).toThrow(why)
})

it('the contents of calls are recorded for the configured number of days, and only if they can be encrypted', () => {
  const VAULT_KEYS = 'a key of the vault'
  expect(configOf({}).contentDays).toBe(0)
  expect(configOf({ RECORD_CALL_CONTENT: '0' }).contentDays).toBe(0)
  expect(configOf({ RECORD_CALL_CONTENT: '7', VAULT_KEYS }).contentDays).toBe(7)
  expect(configOf({ RECORD_CALL_CONTENT: 30, ACCESS: 'open' }).contentDays).toBe(30)
  expect(() => configOf({ RECORD_CALL_CONTENT: '7' })).toThrow('RECORD_CALL_CONTENT needs VAULT_KEYS beside it')
  for (const value of ['31', '-1', '1.5', 'all', true])
    expect(() => configOf({ RECORD_CALL_CONTENT: value, VAULT_KEYS })).toThrow('RECORD_CALL_CONTENT must be')
})
