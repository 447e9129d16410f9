import { expect, it } from 'vitest'
import {
  createPolicySet,
  parsePolicy,
  applyPolicyToRecord,
  raiseLevel,
  NO_POLICIES,
  NO_EFFECTIVE_POLICY,
  type Policy,
} from '../../../src/core/access/policy.ts'
import { needsApproval } from '../../../src/core/tool/tool.ts'
import { recordOf } from '../../formats/records.ts'

const read = (body: unknown) =>
  parsePolicy('Mail.*', body, (name) => (name === 'ADMIN_KEY' ? 'Is not for this' : undefined))
const MAIL = { toolkit: 'Mail', tool: 'Send' }
const WIPE = { toolkit: 'mail', tool: 'DeleteAll' }

it.each<Omit<Policy, 'pattern'>>([
  { secrets: ['MAIL_KEY', 'mail.key'] },
  { security_level: 1 },
  { security_level: 10, approval: true },
  { timeout_ms: 1 },
  { timeout_ms: 300_000, limits: { rate: { calls: 1, seconds: 1 } } },
  { limits: { concurrency: 3 } },
])('a policy is read unchanged: %j', (body) => {
  expect(read(body)).toEqual({ ok: true, value: { pattern: 'Mail.*', ...body } })
})

it.each([
  [{}, '', 'Must have at least one setting'],
  [5, '', 'Must be an object'],
  [{ securityLevel: 8 }, '/securityLevel', "Unknown field 'securityLevel'"],
  [{ secrets: [] }, '/secrets', 'array'],
  [{ secrets: 'MAIL_KEY' }, '/secrets', 'array'],
  [{ secrets: ['ok', 'ADMIN_KEY'] }, '/secrets/1', 'Is not for this'],
  [{ secrets: ['a b'] }, '/secrets/0', 'visible ASCII'],
  [{ security_level: 0 }, '/security_level', 'from 1 to 10'],
  [{ security_level: 11 }, '/security_level', 'from 1 to 10'],
  [{ approval: false }, '/approval', 'Must be true'],
  [{ timeout_ms: 300_001 }, '/timeout_ms', 'from 1 to 300000'],
  [{ limits: {} }, '/limits', "'rate', 'concurrency', or both"],
])('a policy is refused with the location of the error: %j', (body, path, message) => {
  expect(read(body)).toEqual({
    ok: false,
    problems: expect.arrayContaining([{ path, message: expect.stringContaining(message) }]),
  })
})

const set = createPolicySet(
  [
    { pattern: '*', timeout_ms: 20_000 },
    { pattern: 'Mail.*', secrets: ['MAIL_KEY'], security_level: 3, limits: { concurrency: 5 } },
    { pattern: '*.Delete*', security_level: 6, approval: true, timeout_ms: 5_000 },
    { pattern: 'MAIL.Send', limits: { rate: { calls: 1, seconds: 60 } }, secrets: ['OTHER_KEY'] },
  ],
  7,
)

it('the effective policy of a tool combines every policy whose pattern covers it, strictest first', () => {
  expect(set.revision).toBe(7)
  expect(set.policyFor(MAIL)).toEqual({
    securityLevel: 3,
    approval: false,
    timeoutMs: 20_000,
    limits: [
      { pattern: 'mail.*', limits: { concurrency: 5 } },
      { pattern: 'mail.send', limits: { rate: { calls: 1, seconds: 60 } } },
    ],
    secrets: new Set(['MAIL_KEY', 'OTHER_KEY']),
    review: false,
  })
  expect(set.policyFor(WIPE)).toMatchObject({ securityLevel: 6, approval: true, timeoutMs: 5_000 })
  expect(set.policyFor({ toolkit: 'X', tool: 'Y' })).toMatchObject({ securityLevel: 0, secrets: new Set() })
})

it('the effective policy of a tool is the same object until policies change, so that derived objects are created once', () => {
  expect(set.policyFor(MAIL)).toBe(set.policyFor({ toolkit: 'mail', tool: 'SEND' }))
  expect(set.policyFor({ toolkit: 'A', tool: 'B' })).toBe(set.policyFor({ toolkit: 'C', tool: 'D' }))
  expect(createPolicySet([{ pattern: 'A.*', approval: true }], 1).policyFor(MAIL)).toBe(NO_EFFECTIVE_POLICY)
  expect(createPolicySet([], 3)).toMatchObject({ revision: 3 })
  expect(NO_POLICIES.policyFor(MAIL)).toBe(NO_EFFECTIVE_POLICY)
})

it('the effective policy of a tool raises a level, and never lowers one', () => {
  for (const [own, level, then] of [
    [0, 3, 3],
    [3, 3, 3],
    [9, 3, 9],
  ] as const) {
    const tool = { ...MAIL, securityLevel: own }
    const rule = createPolicySet([{ pattern: '*', security_level: level }], 1).policyFor(MAIL)
    expect(raiseLevel(tool, rule).securityLevel).toBe(then)
    if (own === then) expect(raiseLevel(tool, rule)).toBe(tool)
    expect(applyPolicyToRecord(recordOf({}, { securityLevel: own }), rule).securityLevel).toBe(then)
  }
})

it('the effective policy of a tool may require review, if one policy that covers the tool does', () => {
  const policies = [{ pattern: '*', security_level: 1 }, { pattern: 'MAIL.*', review: true } as const]
  const { policyFor } = createPolicySet(policies, 1)
  expect([policyFor(MAIL).review, policyFor({ toolkit: 'Other', tool: 'Send' }).review]).toEqual([true, false])
  expect(parsePolicy('*', { review: true }, () => undefined)).toEqual({
    ok: true,
    value: { pattern: '*', review: true },
  })
  expect(parsePolicy('*', { review: false }, () => undefined)).toMatchObject({ problems: [{ path: '/review' }] })
})

it('the effective policy of a tool may require approval of each call, which excludes anonymous callers', () => {
  const rule = createPolicySet([{ pattern: '*', approval: true }], 1).policyFor(MAIL)
  const before = recordOf({}, { securityLevel: 0 })
  expect(needsApproval(before)).toBe(false)
  const after = applyPolicyToRecord(before, rule)
  expect([needsApproval(after), after.securityLevel, after.digest]).toEqual([true, 1, before.digest])
  expect(applyPolicyToRecord(before, NO_EFFECTIVE_POLICY)).toBe(before)
})
