import { expect, it } from 'vitest'
import { toPerson, getVerifiedEmail } from '../../../src/core/access/person.ts'
import { findCoverDenial, findCallDenial, isTrustedWith, type Principal } from '../../../src/core/access/principal.ts'
import { resolveRights, signInRules } from '../../../src/core/access/sign-in-rules.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'

const rulesOf = (...rules: object[]) => {
  const read = parseValue(signInRules, rules)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}
const person = (address: string | undefined, ...groups: string[]) => ({
  user: address ?? 'somebody',
  ...(address === undefined ? {} : { address }),
  groups,
})
const verified = (email: unknown, more: object = {}) =>
  getVerifiedEmail({ iss: 'https://id.test', email, email_verified: true, ...more })

it('SIGN_IN_RULES give the scopes, tools and toolkits that they list', () => {
  expect(
    rulesOf(
      { domain: 'acme.com', scopes: ['tools:read'], tools: ['Math.Add'], toolkits: ['Gmail'] },
      { address: 'ann@acme.com' },
      { group: 'platform', scopes: ['admin'] },
      { group: 'nobody', toolkits: [] },
    ),
  ).toEqual([
    { domain: 'acme.com', scopes: ['tools:read'], tools: ['Math.Add', 'Gmail.*'] },
    { address: 'ann@acme.com', scopes: ['tools:read', 'tools:call'], tools: ['*'] },
    { group: 'platform', scopes: ['admin'], tools: ['*'] },
    { group: 'nobody', scopes: ['tools:read', 'tools:call'], tools: [] },
  ])
})

it.each([
  [{}, [['/0', "Must say whom it is for: wanted 'domain', 'address' or 'group'"]]],
  [{ domain: 'Acme.com' }, [['/0/domain', "Must be a domain in lower case, such as 'acme.com', got 'Acme.com'"]]],
  [{ domain: '*.acme.com' }, [['/0/domain', expect.stringContaining('Must be a domain')]]],
  [{ domain: '@acme.com' }, [['/0/domain', expect.stringContaining('Must be a domain')]]],
  [{ domain: 'аcme.com' }, [['/0/domain', expect.stringContaining('Must be a domain')]]],
  [{ address: 'acme.com' }, [['/0/address', expect.stringContaining('Must be an e-mail address')]]],
  [{ group: '' }, [['/0/group', expect.stringContaining('Must be a group')]]],
  [{ group: 'x', scopes: ['tools:write'] }, [['/0/scopes/0', expect.stringContaining("got 'tools:write'")]]],
  [{ group: 'x', tools: ['Gmail'] }, [['/0/tools/0', expect.stringContaining('a tool pattern')]]],
  [{ group: 'x', toolkits: ['*'] }, [['/0/toolkits/0', expect.stringContaining("a toolkit's name")]]],
  [{ group: 'x', toolkit: ['Gmail'] }, [['/0/toolkit', expect.stringContaining("Unknown field 'toolkit'")]]],
])('SIGN_IN_RULES %j is refused', (rule, problems) => {
  const read = parseValue(signInRules, [rule])
  expect(read.ok ? [] : read.problems.map(({ path, message }) => [path, message])).toEqual(problems)
})

it('SIGN_IN_RULES apply only to people whom they name', () => {
  const rules = rulesOf({ domain: 'acme.com' }, { address: 'bob@other.test' }, { group: 'staff' })
  for (const whom of ['ann@acme.com.evil.com', 'ann@evil-acme.com', 'ann@sub.acme.com', 'bobby@other.test']) {
    expect(resolveRights(person(whom), rules), whom).toBeUndefined()
  }
  expect(resolveRights(person(undefined, 'Staff', 'staff '), rules)).toBeUndefined()
  expect(resolveRights(person('ann@acme.com', 'acme.com'), [])).toBeUndefined()
  expect(resolveRights(person('ann@acme.com'), rules)).toBeDefined()
  expect(resolveRights(person(undefined, 'staff'), rules)).toBeDefined()
})

it('SIGN_IN_RULES with a domain and a group apply only to people who have both', () => {
  const rules = rulesOf({ domain: 'acme.com', group: 'staff' })
  expect(resolveRights(person('ann@acme.com'), rules)).toBeUndefined()
  expect(resolveRights(person('ann@evil.com', 'staff'), rules)).toBeUndefined()
  expect(resolveRights(person('ann@acme.com', 'staff'), rules)).toBeDefined()
})

it('SIGN_IN_RULES are combined, and none gives its scopes to the tools of another', () => {
  const rules = rulesOf(
    { domain: 'acme.com', toolkits: ['Gmail'] },
    { group: 'developers', scopes: ['tools:publish'], toolkits: ['Lab'] },
  )
  const rights = resolveRights(person('ann@acme.com', 'developers'), rules)
  expect(rights).toEqual({
    scopes: ['tools:read', 'tools:call', 'tools:publish'],
    tools: { 'tools:read': ['Gmail.*'], 'tools:call': ['Gmail.*'], 'tools:publish': ['Lab.*'] },
  })
  const ann: Principal = { id: 'person:ann', kind: 'person', users: ['ann'], ...rights! }
  const record = (toolkit: string) => Object({ toolkit, tool: 'Send', securityLevel: 4 })
  expect(isTrustedWith(ann, record('Gmail'))).toBe(false)
  expect(findCoverDenial(ann, record('Gmail'), 'tools:publish')).toBeDefined()
  expect(isTrustedWith(ann, record('Lab'))).toBe(true)
  expect(findCallDenial(ann, record('Gmail'))).toBeUndefined()
  expect(findCallDenial(ann, record('Lab'))).toBeDefined()
})

it('SIGN_IN_RULES that make a person an administrator apply whatever other rules match', () => {
  const rules = rulesOf({ domain: 'acme.com', toolkits: ['Gmail'] }, { group: 'platform', scopes: ['admin'] })
  const root: Principal = {
    id: 'person:root',
    kind: 'person',
    users: ['root'],
    ...resolveRights(person('root@acme.com', 'platform'), rules)!,
  }
  expect(findCallDenial(root, Object({ toolkit: 'Lab', tool: 'Send', securityLevel: 8 }))).toBeUndefined()
  expect(findCoverDenial(root, { toolkit: 'Lab', tool: 'Send' }, 'tools:publish')).toBeUndefined()
})

it('an e-mail address counts if the provider verified it, and is converted to lower case', () => {
  expect(verified('Ann.Lee+x@Acme.COM')).toBe('ann.lee+x@acme.com')
  for (const email_verified of [false, undefined, 'true', 1, null]) {
    expect(verified('ann@acme.com', { email_verified })).toBeUndefined()
  }
})

it.each([
  'аnn@acme.com',
  'ann@аcme.com',
  '\u212aate@acme.com',
  'ann@ac\u212ae.com',
  'ann@acme.com\u200b',
  'ann@acme.com ',
  'ann@acme.com\n',
  'ann@evil.com@acme.com',
  '"ann@evil.com"@acme.com',
  'ann@acme.com.',
  'ann@acme',
  'ann@[127.0.0.1]',
  '@acme.com',
  `${'a'.repeat(65)}@acme.com`,
  ['ann@acme.com'],
  7,
])('an e-mail address %j does not count', (email) => {
  expect(verified(email)).toBeUndefined()
})

it("an e-mail address from Google counts if it is Google's own or a Workspace's", () => {
  const google = (email: string, more: object = {}) => verified(email, { iss: 'https://accounts.google.com', ...more })
  expect(google('ann@gmail.com')).toBe('ann@gmail.com')
  expect(google('ann@acme.com', { hd: 'acme.com' })).toBe('ann@acme.com')
  // Whoever had the mailbox once could make such an account
  expect(google('ann@acme.com')).toBeUndefined()
})

it('an e-mail address from Microsoft Entra does not count unless the tenant owns the domain', () => {
  for (const iss of ['https://login.microsoftonline.com/t/v2.0', 'https://sts.windows.net/t/']) {
    const entra = (more: object) => verified('ann@acme.com', { iss, ...more })
    expect(entra({})).toBeUndefined()
    expect(entra({ xms_edov: false })).toBeUndefined()
    for (const xms_edov of [true, 1, '1', 'true']) {
      expect(entra({ email_verified: undefined, xms_edov })).toBe('ann@acme.com')
    }
  }
  // Nobody else says so
  expect(verified('ann@acme.com', { email_verified: undefined, xms_edov: true })).toBeUndefined()
})

const claims = {
  iss: 'https://id.test',
  sub: 's1',
  email: 'Ann@acme.com',
  email_verified: true,
  groups: ['a', 7, 'b'],
}

it('a person is identified by the verified e-mail address, or by the configured claim', () => {
  const ann = { address: 'ann@acme.com', groups: ['a', 'b'] }
  expect(toPerson(claims, { groups: 'groups' })).toEqual({ user: 'ann@acme.com', ...ann })
  expect(toPerson(claims, { user: 'email', groups: 'groups' })).toEqual({ user: 'ann@acme.com', ...ann })
  expect(toPerson(claims, { user: 'sub', groups: 'groups' })).toEqual({ user: 's1', ...ann })
  expect(toPerson({ ...claims, roles: 'boss' }, { user: 'sub', groups: 'roles' })).toMatchObject({ groups: ['boss'] })
})

it('a person cannot be identified if that claim is missing, unverified or not plain text', () => {
  expect(toPerson({ ...claims, email_verified: false }, { groups: 'groups' })).toContain("'email'")
  expect(toPerson({ ...claims, email_verified: false }, { user: 'email', groups: 'groups' })).toContain("'email'")
  for (const oid of [undefined, '', 7, 'a\nb', 'x'.repeat(257)]) {
    expect(toPerson({ ...claims, oid }, { user: 'oid', groups: 'groups' })).toContain("'oid'")
  }
})
