import { expect, it } from 'vitest'
import { fail } from '../../../src/core/failure/failure.ts'
import type { TaskOutcome } from '../../../src/core/task/task.ts'
import { takeResponses, toWaiting } from '../../../src/core/task/waiting.ts'

const FORM = { method: 'elicitation/create', params: { mode: 'form' } }
const asks = (...keys: string[]): TaskOutcome => ({
  callId: 'c',
  durationMs: 1,
  result: fail({ type: 'input-required', requests: Object.fromEntries(keys.map((key) => [key, FORM])) }),
})
const accept = { action: 'accept' }

it('a tool that asks again has its answers under its own keys, and its caller sees no key twice', () => {
  const first = toWaiting(asks('name', 'age'), undefined, 2) ?? expect.unreachable()
  expect(Object.keys(first.requests)).toEqual(['name', 'age'])
  const half = takeResponses(first, { name: accept, foreign: accept })
  expect([Object.keys(half.requests), half.answers.responses]).toEqual([['age'], { name: accept }])
  // What was answered stays as it was
  expect(takeResponses(half, { name: { action: 'decline' } }).answers.responses).toEqual({ name: accept })
  const again = toWaiting(asks('name'), takeResponses(half, { age: accept }), 5) ?? expect.unreachable()
  expect(Object.keys(again.requests)).toEqual(['name#5'])
  const declined = { action: 'decline' }
  expect(takeResponses(again, { 'name': accept, 'name#5': declined }).answers.responses).toEqual({
    name: declined,
    age: accept,
  })
})
