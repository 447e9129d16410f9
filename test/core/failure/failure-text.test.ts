import { expect, it } from 'vitest'
import {
  formatDetail,
  groupInputProblems,
  formatSentence,
  toRetryAdvice,
  MAY_HAVE_RUN,
  describeFailure,
} from '../../../src/core/failure/failure-text.ts'

it('the text of a failure is a message, and a detail if there is one', () => {
  expect(describeFailure({ type: 'cancelled' })).toEqual({ message: 'The call was canceled' })
  const wrong = { type: 'definition-invalid', problems: [] } as const
  expect(describeFailure(wrong).message).toBe('The definition is not valid')
  expect(describeFailure({ ...wrong, what: 'key' }).message).toBe('The key is not valid')
  const ended = { type: 'cancelled', may_have_run: true } as const
  expect(describeFailure(ended).detail).toMatch(/^it may have taken effect: check before you retry/)
  expect([toRetryAdvice({ type: 'cancelled' }), toRetryAdvice(ended)]).toEqual([
    { can_retry: true },
    { can_retry: false, additional_prompt_content: MAY_HAVE_RUN },
  ])
  expect(describeFailure({ type: 'tool-timed-out', timeout_ms: 1500 })).toEqual({
    message: 'The tool did not answer within 1.5 seconds',
    detail: 'the deadline passed while the tool ran',
  })
  expect(describeFailure({ type: 'rate-limited', retry_after_ms: 1001 }).detail).toBe('try again in 2 seconds')
  expect(describeFailure({ type: 'tool-timed-out', timeout_ms: 1000 }).message).toMatch(/within 1 second$/)
})

it('the text of a failure names the requested tool, truncated, and the most similar ones', () => {
  expect(describeFailure({ type: 'tool-unknown', ref: 'x'.repeat(201), suggestions: [] }).message).toBe(
    `Tool '${'x'.repeat(200)}' was not found`,
  )
  expect(describeFailure({ type: 'tool-unknown', ref: 'x', suggestions: ['a', 'b'] }).message).toBe(
    "Tool 'x' was not found: did you mean 'a', 'b'?",
  )
})

it('the text of a failure becomes one sentence, or its detail alone', () => {
  expect(formatSentence({ message: 'Not so' })).toBe('Not so')
  expect(formatSentence({ message: 'Not so', detail: 'wanted thus' })).toBe('Not so: wanted thus')
  expect(formatDetail({ message: 'Not so' })).toBeUndefined()
  expect(formatDetail({ message: 'Not so', detail: 'wanted thus' })).toBe('Wanted thus')
})

it('problems of an input are about the whole, or about parameters', () => {
  const problems = [
    { path: '', message: 'Too many' },
    { path: '/a/0', message: 'Is wrong' },
    { path: '', message: 'Too deep' },
  ]
  expect(groupInputProblems(problems)).toEqual({
    whole: ['Too many', 'Too deep'],
    parameters: { a: "At '0': Is wrong" },
  })
})
