import { describe, expect, it } from 'vitest'
import { keyChangeReader, newKeyReader } from '../../../src/core/access/api-key.ts'
import { applyKeyChange, toKeyPrincipal } from '../../../src/core/access/stored-key.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'

const NOW = new Date('2026-11-01T00:00:00Z')
const decode = (body: unknown) =>
  parseValue(
    newKeyReader(() => NOW),
    body,
  )
const problemsOf = (body: unknown) => {
  const decoded = decode(body)
  return decoded.ok ? [] : decoded.problems.map(({ path, message }) => [path, message])
}
const SCOPE = "one of 'tools:read', 'tools:call', 'tools:publish', 'users:confirm', 'records:read', 'scim', 'admin'"
const PATTERN = "a tool pattern such as '*', 'Gmail.*' or 'Gmail.GetEmails'"
const TIME = "an RFC 3339 time such as '2030-01-31T12:00:00Z'"
const good = { name: 'agent', scopes: ['tools:call'] }

it('a new key covers every tool and no user by default', () => {
  expect(decode(good)).toEqual({
    ok: true,
    value: { name: 'agent', scopes: ['tools:call'], tools: ['*'], users: [] },
  })
})

it('a new key is read completely, without repeated list items', () => {
  const body = {
    name: 'agent',
    scopes: ['tools:read', 'admin', 'admin'],
    tools: ['Gmail.*', 'Gmail.*'],
    users: ['bob', 'ann', 'bob'],
    expires_at: '2026-12-01T12:00:00+02:00',
  }
  expect(decode(body)).toEqual({
    ok: true,
    value: {
      name: 'agent',
      scopes: ['tools:read', 'admin'],
      tools: ['Gmail.*'],
      users: ['bob', 'ann'],
      expires_at: '2026-12-01T10:00:00.000Z',
    },
  })
})

it('a new key may act for any user if it says so', () => {
  expect(decode({ ...good, users: 'any' })).toEqual({
    ok: true,
    value: { name: 'agent', scopes: ['tools:call'], tools: ['*'], users: 'any' },
  })
})

it('a new key is refused with every problem at once', () => {
  const body = {
    'name': '',
    'scopes': ['tools:call', 'root'],
    'tools': ['Gmail', 5],
    'users': ['', 'x'.repeat(257)],
    'expires_at': 'tomorrow',
    'tool/s': ['*'],
  }
  expect(problemsOf(body)).toEqual([
    [
      '/tool~1s',
      "Unknown field 'tool/s' (meant 'tools'?): wanted 'name', 'scopes', 'tools', 'users', 'toolset', 'lock', 'record_arguments', 'expires_at', 'limits'",
    ],
    ['/name', "Must be a string of 1 to 100 characters, got ''"],
    ['/scopes/1', `Must be ${SCOPE}, got 'root'`],
    ['/tools/0', `Must be ${PATTERN}, got 'Gmail'`],
    ['/tools/1', `Must be ${PATTERN}, got 5`],
    ['/users/0', "Must be a string of 1 to 256 characters, got ''"],
    ['/users/1', 'Must be a string of 1 to 256 characters, got a string of 257 characters'],
    ['/expires_at', `Must be ${TIME}, got 'tomorrow'`],
  ])
})

it.each<[string, unknown, readonly (readonly [path: string, message: string])[]]>([
  ['a list', [], [['', 'Must be an object, got an empty array']]],
  ['null', null, [['', 'Must be an object, got null']]],
  ['nothing', undefined, [['', 'Is required']]],
  [
    'an empty object',
    {},
    [
      ['/name', 'Is required'],
      ['/scopes', 'Is required'],
    ],
  ],
  ['no scopes', { ...good, scopes: [] }, [['/scopes', 'Must be an array of 1 to 1000 items, got an empty array']]],
  ['scopes as words', { ...good, scopes: 'admin' }, [['/scopes', "Must be an array of 1 to 1000 items, got 'admin'"]]],
  [
    'a scope that only prints like one',
    { ...good, scopes: [['admin']] },
    [['/scopes/0', `Must be ${SCOPE}, got an array of 1`]],
  ],
  ['tools as a word', { ...good, tools: '*' }, [['/tools', "Must be an array of at most 1000 items, got '*'"]]],
  ['no tools', { ...good, tools: [] }, []],
  ['users all', { ...good, users: 'all' }, [['/users', "Must be 'any' or an array of users, got 'all'"]]],
  ['users null', { ...good, users: null }, [['/users', "Must be 'any' or an array of users, got null"]]],
  ["'any' inside the list, which is a user's name", { ...good, users: ['any'] }, []],
  ['a user of 256 characters', { ...good, users: ['x'.repeat(256)] }, []],
  [
    'an id of its own',
    { ...good, id: 'k1' },
    [
      [
        '/id',
        "Unknown field 'id': wanted 'name', 'scopes', 'tools', 'users', 'toolset', 'lock', 'record_arguments', 'expires_at', 'limits'",
      ],
    ],
  ],
  ['a name of 100 characters', { ...good, name: 'x'.repeat(100) }, []],
  [
    'a long name',
    { ...good, name: 'x'.repeat(101) },
    [['/name', 'Must be a string of 1 to 100 characters, got a string of 101 characters']],
  ],
  ['many tools', { ...good, tools: Array.from({ length: 1_000 }, () => '*') }, []],
  [
    'too many tools',
    { ...good, tools: Array.from({ length: 1_001 }, () => '*') },
    [['/tools', 'Must be an array of at most 1000 items, got an array of 1001']],
  ],
  [
    'too many users',
    { ...good, users: Array.from({ length: 1_001 }, () => 'ann') },
    [['/users', 'Must be an array of at most 1000 items, got an array of 1001']],
  ],
])('a new key with %s', (_, body, problems) => {
  expect(problemsOf(body)).toEqual(problems)
})

it.each([
  '2027-02-30T00:00:00Z',
  '2027-02-29T00:00:00Z',
  '2027-04-31T00:00:00Z',
  '2027-13-01T00:00:00Z',
  '2027-00-01T00:00:00Z',
  '2027-01-00T00:00:00Z',
  '2027-01-32T00:00:00Z',
  '2027-01-01T24:00:00Z',
  '2027-01-01T00:60:00Z',
  '2027-01-01T00:00:60Z',
  '2027-01-01T00:00:00+24:00',
  '2027-01-01T00:00:00+00:60',
  '2027-01-01T00:00:00.Z',
  '2027-01-01',
  '2027-01-01T00:00:00',
  ' 2027-01-01T00:00:00Z',
  '2027-01-01T00:00:00Z ',
  '2027',
  1_900_000_000,
  null,
])('a new key cannot expire at %j, which is not a time', (expires_at) => {
  const got = typeof expires_at === 'string' ? `'${expires_at}'` : String(expires_at)
  expect(problemsOf({ ...good, expires_at })).toEqual([['/expires_at', `Must be ${TIME}, got ${got}`]])
})

it.each(['2026-10-31T23:59:59Z', '2026-11-01T00:00:00Z', '2026-11-01T02:00:00+02:00'])(
  'a new key cannot expire at %j, which is not in the future',
  (expires_at) => {
    const message = "Must be in the future, and now is '2026-11-01T00:00:00.000Z'"
    expect(problemsOf({ ...good, expires_at })).toEqual([['/expires_at', message]])
  },
)

it.each([
  ['2028-02-29t00:00:00.5z', '2028-02-29T00:00:00.500Z'],
  ['2027-12-31T23:59:59Z', '2027-12-31T23:59:59.000Z'],
  ['2027-01-01T23:00:00-01:30', '2027-01-02T00:30:00.000Z'],
  ['2026-11-01T00:00:00.001Z', '2026-11-01T00:00:00.001Z'],
])('a new key may expire at %j', (expires_at, utc) => {
  expect(decode({ ...good, expires_at })).toHaveProperty('value.expires_at', utc)
})

it("a principal has its key's rights, and identifies the key in logs", () => {
  const key = {
    id: 'k1',
    name: 'agent',
    scopes: ['tools:call'] as const,
    tools: ['Gmail.*'],
    users: ['ann'],
    created_at: NOW.toISOString(),
  }
  expect(toKeyPrincipal(key)).toEqual({
    id: 'key:k1',
    name: 'agent',
    kind: 'key',
    scopes: ['tools:call'],
    tools: ['Gmail.*'],
    users: ['ann'],
  })
})

describe('a change of a key', () => {
  const key = { id: 'k1', created_at: '2026-01-01T00:00:00.000Z', tools: ['A.*'], users: [], ...good } as const
  const held = { ...key, expires_at: '2027-01-01T00:00:00.000Z', limits: { concurrency: 2 } } as const
  const changed = (body: unknown) => {
    const read = parseValue(
      keyChangeReader(() => NOW),
      body,
    )
    return read.ok
      ? applyKeyChange({ ...held, scopes: ['tools:call'] }, read.value)
      : read.problems.map(({ path }) => path)
  }

  it('a change of a key keeps the fields that it does not set', () => {
    expect(changed({})).toEqual(held)
    expect(changed({ name: 'renamed' })).toEqual({ ...held, name: 'renamed' })
  })

  it('a change of a key removes only an expiry and limits with null', () => {
    expect(changed({ expires_at: null, limits: null })).toEqual(key)
    expect(changed({ name: null, tools: null })).toEqual(['/name', '/tools'])
  })

  it('a change of a key is refused with every problem', () => {
    expect(changed({ scopes: [], expires_at: '2026-01-01T00:00:00Z', id: 'x' })).toEqual([
      '/id',
      '/scopes',
      '/expires_at',
    ])
  })
})
