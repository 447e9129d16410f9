import { describe, expect, it } from 'vitest'
import { decodeNewKey, principalOf } from '../../../src/core/access/api-key.ts'

const NOW = new Date('2026-11-01T00:00:00Z')
const decode = (body: unknown) => decodeNewKey(body, NOW)
const problemsOf = (body: unknown) => {
  const decoded = decode(body)
  return decoded.ok ? [] : decoded.problems.map(({ path }) => path)
}
const good = { name: 'agent', scopes: ['tools:call'] }

describe('a new key', () => {
  it('covers every tool and no user unless it says otherwise', () => {
    expect(decode(good)).toEqual({
      ok: true,
      value: { name: 'agent', scopes: ['tools:call'], tools: ['*'], users: [] },
    })
  })

  it('is read whole', () => {
    const body = {
      name: 'agent',
      scopes: ['tools:read', 'admin', 'admin'],
      tools: ['Gmail.*'],
      users: ['ann', 'bob'],
      expires_at: '2026-12-01T12:00:00+02:00',
    }
    expect(decode(body)).toEqual({
      ok: true,
      value: { ...body, scopes: ['tools:read', 'admin'], expires_at: '2026-12-01T10:00:00.000Z' },
    })
  })

  it('may act for any user when it says so', () => {
    expect(decode({ ...good, users: 'any' })).toMatchObject({ value: { users: 'any' } })
  })

  it('has every problem named at once', () => {
    const body = {
      'name': '',
      'scopes': ['tools:call', 'root'],
      'tools': ['Gmail', 5],
      'users': ['', 'x'.repeat(257)],
      'expires_at': 'tomorrow',
      'tool/s': ['*'],
    }
    expect(problemsOf(body)).toEqual([
      '/tool~1s',
      '/name',
      '/scopes/1',
      '/tools/0',
      '/tools/1',
      '/users/0',
      '/users/1',
      '/expires_at',
    ])
  })

  it.each([
    ['a list', [], ['']],
    ['null', null, ['']],
    ['nothing', undefined, ['']],
    ['an empty object', {}, ['/name', '/scopes']],
    ['no scopes', { ...good, scopes: [] }, ['/scopes']],
    ['scopes as words', { ...good, scopes: 'admin' }, ['/scopes']],
    ['a scope that only prints like one', { ...good, scopes: [['admin']] }, ['/scopes/0']],
    ['tools as a word', { ...good, tools: '*' }, ['/tools']],
    ['users all', { ...good, users: 'all' }, ['/users']],
    ["'any' inside the list, which is a user's name", { ...good, users: ['any'] }, []],
    ['an id of its own', { ...good, id: 'k1' }, ['/id']],
    ['a long name', { ...good, name: 'x'.repeat(101) }, ['/name']],
    ['too many tools', { ...good, tools: Array.from({ length: 1_001 }, () => '*') }, ['/tools']],
  ])('with %s', (_, body, paths) => {
    expect(problemsOf(body)).toEqual(paths)
  })

  it.each([
    '2026-10-31T23:59:59Z',
    '2026-11-01T00:00:00Z',
    '2027-02-30T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-00T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01',
    '2027-01-01T00:00:00',
    '2027',
    1_900_000_000,
    null,
  ])('cannot expire at %j', (expires_at) => {
    expect(problemsOf({ ...good, expires_at })).toEqual(['/expires_at'])
  })

  it('may expire on 29 February, in lower case', () => {
    expect(problemsOf({ ...good, expires_at: '2028-02-29t00:00:00.5z' })).toEqual([])
  })
})

it('a principal has the powers of its key, and says in logs which it is', () => {
  const key = {
    id: 'k1',
    name: 'agent',
    scopes: ['tools:call'] as const,
    tools: ['Gmail.*'],
    users: ['ann'],
    created_at: NOW.toISOString(),
  }
  expect(principalOf(key)).toEqual({
    id: 'key:k1',
    kind: 'key',
    scopes: ['tools:call'],
    tools: ['Gmail.*'],
    users: ['ann'],
  })
})
