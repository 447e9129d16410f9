import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'
import { tailorFailure } from '../../../src/core/failure/operator-failure.ts'

const AGENT: Principal = { ...ADMIN, id: 'key:1', kind: 'key', scopes: ['tools:read', 'tools:call'] }
const id = 'Kit.Tool@1.0.0'
const forOperator = 'run `npx wrangler secret put KEY`'

/** Each failure that the operator can do something about, and where its words stand. */
const FAILURES: readonly (readonly [Failure, string])[] = [
  [{ type: 'forbidden', reason: 'It may not', forOperator }, 'reason'],
  [{ type: 'tool-not-executable', id, reason: 'It cannot', forOperator }, 'reason'],
  [
    {
      type: 'requirements-missing',
      tool: 'Kit.Tool',
      authorization: [],
      secrets: [{ id: 'KEY' }],
      user_id: false,
      detail: 'It lacks one',
      forOperator,
    },
    'detail',
  ],
  [{ type: 'output-too-large', limit: 1, why: 'There is no place', forOperator }, 'why'],
  [{ type: 'unavailable', message: 'It cannot be kept', forOperator }, 'message'],
  [{ type: 'tool-failed', message: 'It failed', developer_message: 'No answer', forOperator }, 'developer_message'],
]

it.each(FAILURES)('advice for the operator is not given to an agent: $type', (failure) => {
  const told = tailorFailure(AGENT, failure)
  const { forOperator: _, ...rest } = { forOperator, ...failure }
  expect(told).toEqual(rest)
  expect(JSON.stringify(told)).not.toContain('wrangler')
})

it.each(FAILURES)(
  'advice for the operator is given to administrators in place of the rest: $type',
  (failure, where) => {
    const told = tailorFailure(ADMIN, failure)
    expect(told).toMatchObject({ [where]: forOperator })
    expect(told).not.toHaveProperty('forOperator')
  },
)

it('advice for the operator about a disabled or untrusted tool is not given to an agent either', () => {
  const disabled = { type: 'tool-disabled', id } as const
  const untrusted = { type: 'tool-untrusted', id, credentials: ["the secret 'KEY'"] } as const
  for (const failure of [disabled, untrusted]) {
    expect(tailorFailure(AGENT, failure)).toBe(failure)
    expect(tailorFailure(ADMIN, failure)).toEqual({ ...failure, detail: expect.stringContaining('PATCH /tools/') })
  }
})

it('advice for the operator is added to the reason why a tool is disabled', () => {
  const told = tailorFailure(ADMIN, { type: 'tool-disabled', id, detail: 'INC-7' })
  expect(told).toMatchObject({ detail: expect.stringMatching(/^INC-7; .*PATCH .*PATCH \/toolkits\//) })
})

it('advice for the operator leaves failures for everyone unchanged', () => {
  const failure: Failure = { type: 'forbidden', reason: 'It may not' }
  expect(tailorFailure(ADMIN, failure)).toBe(failure)
  expect(tailorFailure(AGENT, failure)).toBe(failure)
})
