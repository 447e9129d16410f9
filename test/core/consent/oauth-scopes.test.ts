import { describe, expect, it } from 'vitest'
import { missingScopes, parseScopes, unionScopes } from '../../../src/core/consent/oauth-scopes.ts'

describe('the scopes that a provider says it granted', () => {
  it.each<[string, readonly string[], string | undefined, readonly string[]]>([
    ['a b  a', [], undefined, ['a', 'b']],
    ['repo,gist', ['repo', 'gist'], undefined, ['repo', 'gist']],
    ['a|b c', [], '|', ['a', 'b', 'c']],
    ['x,y z', ['x,y'], undefined, ['x,y', 'z']],
    ['', ['a'], undefined, []],
  ])('%j are read', (text, asked, separator, scopes) => {
    expect(parseScopes(text, asked, separator)).toEqual(scopes)
  })
})

describe('scopes that are missing', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['mail', ['a', 'b'], ['a'], []],
    ['mail', ['a'], ['a', 'b', 'A'], ['b', 'A']],
    ['mail', [], ['openid', 'offline_access'], []],
    ['google', ['https://www.googleapis.com/auth/userinfo.email'], ['email', 'profile'], ['profile']],
    ['mail', ['https://www.googleapis.com/auth/userinfo.email'], ['email'], ['email']],
    ['microsoft', ['https://graph.microsoft.com/Mail.Read'], ['mail.read', 'Mail.Send'], ['Mail.Send']],
    ['github', ['repo', 'user'], ['public_repo', 'repo:status', 'read:user', 'user:email'], []],
    ['github', ['admin:org'], ['read:org', 'write:org', 'read:packages'], ['read:packages']],
    ['github', ['write:org'], ['read:org', 'admin:org'], ['admin:org']],
    ['github', ['public_repo'], ['repo'], ['repo']],
  ])('at %s: %j granted', (provider, granted, asked, missing) => {
    expect(missingScopes(provider, granted, asked)).toEqual(missing)
  })
})

describe('what to ask for', () => {
  it('is what was granted and what is new, without what goes with every request', () => {
    expect(unionScopes(['a', 'offline_access', 'extra', 'b'], ['b', 'c'], ['extra'])).toEqual(['a', 'b', 'c'])
  })
})
