import { toIdRef, toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { expect, it } from 'vitest'
import { createPolicySet, NO_POLICIES, type PolicySet } from '../../../src/core/access/policy.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import { withPolicies, type RecordResolver, type ResolvedTool } from '../../../src/core/call/resolve-tool.ts'
import { recordOf } from '../../formats/records.ts'
import { callableOf, PUBLISHER } from './fakes.ts'

const UNKNOWN = fail({ type: 'tool-unknown', ref: 'x', suggestions: [] })

function setUp(timeoutMs = 30_000) {
  let policies: PolicySet = NO_POLICIES
  let forgotten = 0
  const answer: ResolvedTool = {
    ok: true,
    tool: callableOf(recordOf({}, { securityLevel: 2 }), () => ({ ok: true, value: 1 }), timeoutMs),
    status: { state: 'active' },
    publisher: PUBLISHER,
  }
  const inner: RecordResolver = {
    resolve(ref) {
      const asked = toRefKey(ref)
      return asked === 'known' ? answer : asked === 'soon' ? Promise.resolve(answer) : UNKNOWN
    },
    suggest: () => [],
    invalidate: () => void (forgotten += 1),
  }
  const resolver = withPolicies(inner, { current: () => policies })
  const background = () => undefined
  return {
    answer,
    resolve: (asked: string) => resolver.resolve(toIdRef(asked), background),
    forget: () => resolver.invalidate(),
    forgotten: () => forgotten,
    say: (...all: Parameters<typeof createPolicySet>) => void (policies = createPolicySet(...all)),
  }
}

it('a resolved tool is unchanged if no policy covers it, and is returned at once if it was cached', async () => {
  const { answer, resolve, say, forget, forgotten } = setUp()
  expect(resolve('known')).toBe(answer)
  expect(resolve('soon')).toBeInstanceOf(Promise)
  say([{ pattern: 'Nobody.*', approval: true }], 1)
  expect(resolve('known')).toBe(answer)
  expect(await resolve('soon')).toBe(answer)
  expect(resolve('none')).toBe(UNKNOWN)
  forget()
  expect(forgotten()).toBe(1)
})

it('a resolved tool gets the level, approval and timeout of its policies, computed once', async () => {
  const { answer, resolve, say } = setUp()
  say([{ pattern: '*', security_level: 5, approval: true, timeout_ms: 100 }], 1)
  const first = resolve('known')
  expect(first).toMatchObject({
    tool: { record: { securityLevel: 5, requiresApproval: true }, runnable: { ok: true, timeoutMs: 100 } },
  })
  expect(resolve('known')).toBe(first)
  expect(await resolve('soon')).toBe(first)
  say([{ pattern: '*', security_level: 7 }], 2)
  expect(resolve('known')).toMatchObject({ tool: { record: { securityLevel: 7 }, runnable: { timeoutMs: 30_000 } } })
  say([], 3)
  expect(resolve('known')).toBe(answer)
})

it("a resolved tool keeps its own timeout if the policy's is longer", () => {
  const { answer, resolve, say } = setUp(50)
  say([{ pattern: '*', timeout_ms: 100 }], 1)
  expect(resolve('known')).toMatchObject({ tool: { runnable: { timeoutMs: 50 } } })
  expect(answer.tool.record.securityLevel).toBe(2)
})
