import { expect, it } from 'vitest'
import { missingScopes, parseScopes, mergeScopes } from '../../../src/core/consent/oauth-scopes.ts'

it.each<[string, readonly string[], string | undefined, readonly string[]]>([
  ['a b  a', [], undefined, ['a', 'b']],
  ['repo,gist', ['repo', 'gist'], undefined, ['repo', 'gist']],
  ['a|b c', [], '|', ['a', 'b', 'c']],
  ['x,y z', ['x,y'], undefined, ['x,y', 'z']],
  ['', ['a'], undefined, []],
  [' , ', [], undefined, []],
  ['a\tb\nc', [], undefined, ['a', 'b', 'c']],
  // Its own separator separates whatever was asked for
  ['a,b c', ['x,y'], ',', ['a', 'b', 'c']],
  ['a;b+c', [], ';', ['a', 'b+c']],
  ['a;b+c', [], ';+', ['a', 'b', 'c']],
  ['a|b', ['a,b'], undefined, ['a|b']],
])('the granted scopes %j are parsed', (text, asked, separator, scopes) => {
  expect(parseScopes(text, asked, separator)).toEqual(scopes)
})

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
  ['github', ['repo'], ['repo_deployment', 'security_events', 'repos', 'a:public_repo'], ['repos', 'a:public_repo']],
  ['github', ['repo'], ['public_repository', 'user:email'], ['public_repository', 'user:email']],
  ['github', ['user'], ['users', 'read:users', 'repo:status'], ['users', 'read:users', 'repo:status']],
  ['github', ['gist', 'admin:'], ['write:', 'read:'], ['write:', 'read:']],
  ['github', ['x:org', 'super-admin:org', 'read:org'], ['write:org'], ['write:org']],
  ['github', ['admin:org'], ['admin:orgs', 'write:orgs'], ['admin:orgs', 'write:orgs']],
  ['gitlab', ['repo'], ['public_repo'], ['public_repo']],
  ['google', ['https://www.googleapis.com/auth/userinfo.profile'], ['profile'], []],
  [
    'google',
    ['email'],
    ['email', 'https://www.googleapis.com/auth/userinfo.email'],
    ['https://www.googleapis.com/auth/userinfo.email'],
  ],
  ['microsoft', ['User.Read'], ['https://graph.microsoft.com/user.read', 'User.ReadWrite'], ['User.ReadWrite']],
  ['slack', ['a/Mail.Read'], ['mail.read'], ['mail.read']],
  ['mail', ['a'], [], []],
  // Names that every object has
  ['hasOwnProperty', ['a'], ['b'], ['b']],
  ['constructor', ['a'], ['b'], ['b']],
])('missing scopes at %s with %j granted', (provider, granted, asked, missing) => {
  expect(missingScopes(provider, granted, asked)).toEqual(missing)
})

it('the scopes to request are those granted and new ones, without those of every request', () => {
  expect(mergeScopes(['a', 'offline_access', 'extra', 'b'], ['b', 'c'], ['extra'])).toEqual(['a', 'b', 'c'])
})

it.each<[readonly string[], readonly string[], readonly string[], readonly string[]]>([
  [[], [], [], []],
  [['openid', 'offline_access'], [], [], []],
  // What a tool asks for is asked for, also when it goes with every request
  [['a'], ['openid', 'extra'], ['extra'], ['a', 'openid', 'extra']],
  [['a'], ['a', 'a'], [], ['a']],
])('the scopes to request, with %j granted, %j requested and %j always: %j', (granted, asked, always, scopes) => {
  expect(mergeScopes(granted, asked, always)).toEqual(scopes)
})
