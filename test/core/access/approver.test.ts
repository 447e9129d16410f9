import { expect, it } from 'vitest'
import {
  ADMIN,
  ANONYMOUS,
  mayApproveByKey,
  isDistinguishableByKey,
  type Principal,
} from '../../../src/core/access/principal.ts'

const CALLER: Principal = { id: 'key:a', kind: 'key', scopes: ['tools:call'], tools: ['Bank.*'], users: [] }
const APPROVER: Principal = { ...CALLER, id: 'key:b', scopes: ['tools:publish'] }
const tool = { toolkit: 'Bank', tool: 'Pay' }

it("a caller's own key distinguishes it from other keys, unless it may create keys", () => {
  expect(isDistinguishableByKey(CALLER)).toBe(true)
  expect(isDistinguishableByKey({ ...CALLER, scopes: ['tools:call', 'admin'] })).toBe(false)
  for (const kind of ['jwt', 'agent', 'person'] as const)
    expect(isDistinguishableByKey({ ...CALLER, kind })).toBe(false)
  for (const other of [ADMIN, ANONYMOUS]) expect(isDistinguishableByKey(other)).toBe(false)
})

const approved = (approver: Partial<Principal>, caller: Partial<Principal> = {}, userId?: string) =>
  mayApproveByKey({ ...APPROVER, ...approver }, { ...CALLER, ...caller }, { tool, userId })

it('a call may be approved by another key that names the tool and may publish it, and by administrators', () => {
  expect(approved({})).toBe(true)
  expect(approved(ADMIN)).toBe(true)
  expect(approved({ users: 'any' }, { users: ['ann'] }, 'ann')).toBe(true)
  expect(approved({ users: ['bob'] }, { users: ['ann'] }, 'ann')).toBe(true)
  expect(approved({ tools: ['*'] })).toBe(false)
  expect(approved({ scopes: ['tools:call'] })).toBe(false)
})

it('a call may not be approved by its own key, by one of its user, or if its caller may create keys', () => {
  expect(approved({ id: 'key:a' })).toBe(false)
  expect(approved({ users: ['ann'] }, { users: ['ann', 'bob'] })).toBe(false)
  expect(approved({ users: ['ann'] }, { users: 'any' }, 'ann')).toBe(false)
  expect(approved({}, { scopes: ['admin'] })).toBe(false)
  expect(approved({}, ADMIN)).toBe(false)
  expect(approved({}, { kind: 'agent', id: 'agent:1' })).toBe(false)
})
