import { expect, it } from 'vitest'
import { type Failure, fail } from '../../../src/core/failure/failure.ts'
import { limitInput, type Task } from '../../../src/core/task/task.ts'
import { takeResponses } from '../../../src/core/task/tasks.ts'
import { toPendingInput, type PendingInput } from '../../../src/core/task/pending-input.ts'

const FORM = { method: 'elicitation/create', params: { mode: 'form' } }
const asks = (...keys: string[]): Failure => ({
  type: 'input-required',
  requests: Object.fromEntries(keys.map((key) => [key, FORM])),
})
const accept = { action: 'accept' }
const decline = { action: 'decline' }

function take(pendingInput: PendingInput, responses: Parameters<typeof takeResponses>[1]) {
  const at = '2026-11-30T00:00:00.000Z'
  const times = { createdAt: at, lastUpdatedAt: at, ttlMs: 1, pollIntervalMs: 1 }
  const task: Task = { id: 't', status: 'input_required', ...times, revision: 1, tool: 'Bank.Pay@1.0.0', pendingInput }
  const now = Date.parse(at)
  return limitInput(task, takeResponses(task, responses, now), now)
}

function answer(pendingInput: PendingInput, responses: Parameters<typeof takeResponses>[1]) {
  const change = take(pendingInput, responses)
  return { ...change, pendingInput: change.pendingInput ?? expect.unreachable() }
}

it('a tool that asks again gets responses under its own keys, and its caller sees no key twice', () => {
  const first = toPendingInput(asks('name', 'age'), undefined, 2) ?? expect.unreachable()
  expect(Object.keys(first.requests)).toEqual(['name', 'age'])
  const { status, pendingInput: half } = answer(first, { name: accept, foreign: accept })
  expect([status, Object.keys(half.requests), half.answers.responses]).toEqual([
    'input_required',
    ['age'],
    { name: accept },
  ])
  // What was answered stays as it was
  expect(answer(half, { name: decline }).pendingInput.answers.responses).toEqual({ name: accept })
  const whole = answer(half, { age: accept })
  expect(whole).toMatchObject({ status: 'working', waitMs: 0 })
  const again = toPendingInput(asks('name'), whole.pendingInput, 5) ?? expect.unreachable()
  expect(Object.keys(again.requests)).toEqual(['name#5'])
  expect(answer(again, { 'name': accept, 'name#5': decline }).pendingInput.answers.responses).toEqual({
    name: decline,
    age: accept,
  })
})

it('declining a link ends the task, and other responses only cause its links to be checked', () => {
  const challenge = {
    id: 'mail',
    url: 'https://here.example/a',
    scopes: [],
    status: 'pending',
    authorization: 'a1',
  } as const
  const failure = { type: 'approval-required', id: 'Bank.Pay@1.0.0', reason: 'Its level is 8', challenge } as const
  const pendingInput = toPendingInput(failure, undefined, 2) ?? expect.unreachable()
  expect(pendingInput.links).toEqual(['a1'])
  expect(take(pendingInput, { 'other': decline, 'authorization:mail': accept })).toEqual({ waitMs: 0 })
  for (const action of ['decline', 'cancel'])
    expect(take(pendingInput, { 'authorization:mail': { action } })).toMatchObject({
      status: 'failed',
      outcome: { callId: 't', result: fail({ type: 'forbidden', reason: 'The person declined' }) },
    })
})

it('a task ends if its requests and answers take more than 1 MiB', () => {
  const pendingInput = toPendingInput(asks('text', 'other'), undefined, 2) ?? expect.unreachable()
  const large = take(pendingInput, { text: { action: 'accept', content: { text: 'x'.repeat(1024 * 1024) } } })
  expect(large).toMatchObject({ status: 'failed', outcome: { result: { failure: { type: 'gone' } } } })
  expect(large.pendingInput).toBeUndefined()
  expect(take(pendingInput, { text: { action: 'accept', content: { text: 'x'.repeat(1_000_000) } } })).toMatchObject({
    status: 'input_required',
  })
})
