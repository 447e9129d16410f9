import { formatHolder, toHolder } from '../../../src/core/access/holder.ts'
import { expect, it } from 'vitest'
import {
  ADMIN,
  ANONYMOUS,
  covers,
  findCallDenial,
  hasScope,
  mayActFor,
  isTrustedWith,
  maySee,
  NEEDS_CREDENTIAL,
  type Principal,
  findScopeDenial,
} from '../../../src/core/access/principal.ts'
import { isToolPattern, matchesTool } from '../../../src/core/tool/tool-id.ts'
import { needsApproval, type ToolRecord } from '../../../src/core/tool/tool.ts'

const principal = (some: Partial<Principal>): Principal => ({
  id: 'key:k1',
  kind: 'key',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: [],
  ...some,
})

const record = (securityLevel: number): ToolRecord => ({
  id: 'Gmail.GetEmails@1.0.0',
  toolkit: 'Gmail',
  tool: 'GetEmails',
  version: '1.0.0',
  name: 'GetEmails',
  description: 'Reads emails',
  input: { type: 'object' },
  output: {},
  requirements: { authorization: [], secrets: [], user_id: false },
  tags: [],
  securityLevel,
  source: { dialect: 'oxp', document: {} },
  digest: '0'.repeat(64),
})

const uncovered = (): ReturnType<typeof findCallDenial> => ({
  type: 'forbidden',
  reason: "The credential does not cover 'Gmail.GetEmails'",
})
/** Of the kind of an administrator, without the scope. */
const ENGINE: Principal = { ...ADMIN, id: 'worker', scopes: ['tools:read', 'tools:call'] }
const why = (caller: Principal, level: number) => findCallDenial(caller, record(level))?.type

it.each(['*', 'Gmail.*', 'Gmail.GetEmails', '*.Get*', 'a-b_c.d'])("tool patterns: '%s' is valid", (text) => {
  expect(isToolPattern(text)).toBe(true)
})

it.each(['', 'Gmail', '**', 'Gmail.', '.Get', 'A.B.C', 'Gmail.Get@1.0.0', 'Gm ail.*', 'A.B\n', `${'a'.repeat(65)}.B`])(
  'tool patterns: %j is invalid',
  (text) => {
    expect(isToolPattern(text)).toBe(false)
  },
)

it.each([
  ['*', 'Gmail', 'GetEmails', true],
  ['Gmail.*', 'Gmail', 'GetEmails', true],
  ['gmail.getemails', 'Gmail', 'GetEmails', true],
  ['Gmail.Get*', 'Gmail', 'GetEmails', true],
  ['Gmail.Get*', 'Gmail', 'SendEmail', false],
  ['Gmail.*', 'GmailX', 'GetEmails', false],
  ['Gmail.*', 'XGmail', 'GetEmails', false],
  ['Gmail.Get', 'Gmail', 'GetEmails', false],
  ['*.GetEmails', 'Gmail', 'GetEmails', true],
])("tool patterns: '%s' over '%s.%s' is %s", (pattern, toolkit, tool, covered) => {
  expect(matchesTool(pattern, { toolkit, tool })).toBe(covered)
})

it('tool patterns: a principal without patterns covers nothing', () => {
  expect(covers(principal({ tools: [] }), { toolkit: 'Gmail', tool: 'GetEmails' }, 'tools:read')).toBe(false)
})

it('scopes: admin includes every scope, another only itself', () => {
  expect(hasScope(ADMIN, 'tools:publish')).toBe(true)
  expect(hasScope(principal({}), 'tools:read')).toBe(true)
  expect(hasScope(principal({}), 'tools:publish')).toBe(false)
  expect(hasScope(principal({ scopes: [] }), 'tools:read')).toBe(false)
})

it('scopes: without tools:call no tool may be called', () => {
  expect(why(principal({ scopes: ['tools:read', 'tools:publish'] }), 0)).toBe('forbidden')
})

it('a denial names the missing scope, but anonymous callers first need a credential', () => {
  expect(NEEDS_CREDENTIAL).toEqual({ type: 'unauthenticated', reason: 'This needs a credential' })
  expect(findScopeDenial(ANONYMOUS, 'tools:publish')).toEqual(NEEDS_CREDENTIAL)
  expect(findScopeDenial(ANONYMOUS, 'tools:call')).toBeUndefined()
  expect(findScopeDenial(principal({}), 'tools:publish')).toEqual({
    type: 'forbidden',
    reason: "This needs the scope 'tools:publish'",
  })
  expect(findScopeDenial(principal({ scopes: ['users:confirm'] }), 'users:confirm')).toBeUndefined()
  expect(findScopeDenial(ADMIN, 'users:confirm')).toBeUndefined()
})

it.each<[string, Principal, number, ReturnType<typeof findCallDenial>]>([
  [
    'the scope first',
    principal({ scopes: ['tools:read'], tools: [] }),
    9,
    { type: 'forbidden', reason: "This needs the scope 'tools:call'" },
  ],
  ['then the tool', principal({ tools: ['Slack.*'] }), 9, uncovered()],
  ['the tool to an admin too', { ...ADMIN, tools: ['Slack.*'] }, 0, uncovered()],
  [
    'then the level, to the anonymous',
    ANONYMOUS,
    4,
    { type: 'unauthenticated', reason: "'Gmail.GetEmails' has security level 4 and needs a credential" },
  ],
  [
    'then the level, to a key that does not name the tool',
    principal({}),
    4,
    {
      type: 'forbidden',
      reason: "'Gmail.GetEmails' has security level 4: the credential must name it or its toolkit, such as 'Gmail.*'",
    },
  ],
  ['nothing to an engine, which stands for a deployment', ENGINE, 9, undefined],
  ['nothing where there is no level', ANONYMOUS, 0, undefined],
  ['nothing below level 4', principal({}), 3, undefined],
])('a denial reports %s', (_, caller, level, why) => {
  expect(findCallDenial(caller, record(level))).toEqual(why)
})

it('security levels: level 0 requires nothing, and is all that anonymous callers see and call', () => {
  expect(why(ANONYMOUS, 0)).toBeUndefined()
  expect(why(ANONYMOUS, 1)).toBe('unauthenticated')
  expect(maySee(ANONYMOUS, record(0), 'tools:read')).toBe(true)
  expect(maySee(ANONYMOUS, record(1), 'tools:read')).toBe(false)
  expect(maySee(principal({}), record(9), 'tools:read')).toBe(true)
  expect(maySee(principal({ tools: ['Slack.*'] }), record(0), 'tools:read')).toBe(false)
  expect(maySee({ ...ANONYMOUS, tools: ['Slack.*'] }, record(0), 'tools:read')).toBe(false)
})

it('security levels: levels 1 to 3 require an authenticated caller whose patterns cover the tool', () => {
  expect(why(principal({}), 3)).toBeUndefined()
  expect(why(principal({ tools: ['Slack.*'] }), 0)).toBe('forbidden')
})

it.each([
  [['*'], 'forbidden'],
  [['*.GetEmails'], 'forbidden'],
  [['Gm*.GetEmails'], 'forbidden'],
  [['Slack.*', '*'], 'forbidden'],
  [['Gmail.*'], undefined],
  [['gmail.getemails'], undefined],
])('security levels: level 4 to 7 with the patterns %j: %s', (tools, expected) => {
  expect(why(principal({ tools }), 4)).toBe(expected)
  expect(why(principal({ tools }), 7)).toBe(expected)
})

it('security levels: an administrator need not name a tool', () => {
  expect(why(ADMIN, 7)).toBeUndefined()
  expect(why(principal({ scopes: ['admin'] }), 7)).toBeUndefined()
})

it("security levels: levels 8 to 10 require of a caller what 4 to 7 do, and a person's approval, whoever calls", () => {
  expect(why(ADMIN, 10)).toBeUndefined()
  expect(why(principal({ tools: ['Gmail.*'] }), 8)).toBeUndefined()
  expect(why(principal({}), 8)).toBe('forbidden')
  expect([0, 7, 8, 10].map((level) => needsApproval(record(level)))).toEqual([false, false, true, true])
})

it("only an administrator, or a key that names the tool or its toolkit, decides where a tool's credentials are sent", () => {
  const may = (some: Partial<Principal>) => isTrustedWith(principal(some), record(0))
  expect(may({ scopes: ['admin'] })).toBe(true)
  expect(may({ tools: ['Gmail.*'] })).toBe(true)
  expect(may({ tools: ['Gmail.Get*'] })).toBe(true)
  expect(may({ tools: ['*', 'Slack.*'] })).toBe(false)
  expect(may({ tools: ['Gmail*.GetEmails'] })).toBe(false)
  expect(isTrustedWith(ENGINE, record(0))).toBe(false)
})

it('users: a principal acts only for the exact users that it names', () => {
  expect(mayActFor(principal({ users: 'any' }), 'ann')).toBe(true)
  expect(mayActFor(principal({ users: ['ann'] }), 'ann')).toBe(true)
  expect(mayActFor(principal({ users: ['ann'] }), 'Ann')).toBe(false)
  expect(mayActFor(principal({ users: [] }), 'ann')).toBe(false)
  expect(mayActFor(ANONYMOUS, 'anonymous')).toBe(false)
})

it.each([
  [['ann'], '["user","ann"]'],
  [[], '["principal","key:k1"]'],
  [['ann', 'bob'], '["principal","key:k1"]'],
  ['any', '["principal","key:k1"]'],
] as const)('the holder of data that a principal for %j stores is %s', (users, holder) => {
  expect(formatHolder(toHolder(principal({ users })))).toBe(holder)
})
