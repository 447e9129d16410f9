import { describe, expect, it } from 'vitest'
import {
  detailOf,
  inputProblems,
  sentence,
  againOf,
  MAY_HAVE_RUN,
  wordsOf,
} from '../../../src/core/failure/failure-words.ts'

describe('words of a failure', () => {
  it('are a message, and a detail where there is one', () => {
    expect(wordsOf({ type: 'cancelled' })).toEqual({ message: 'The call was canceled' })
    const wrong = { type: 'definition-invalid', problems: [] } as const
    expect(wordsOf(wrong).message).toBe('The definition is not valid')
    expect(wordsOf({ ...wrong, what: 'key' }).message).toBe('The key is not valid')
    const ended = { type: 'cancelled', may_have_run: true } as const
    expect(wordsOf(ended).detail).toMatch(/^it may have taken effect: check before you retry/)
    expect([againOf({ type: 'cancelled' }), againOf(ended)]).toEqual([
      { can_retry: true },
      { can_retry: false, additional_prompt_content: MAY_HAVE_RUN },
    ])
    expect(wordsOf({ type: 'tool-timed-out', timeout_ms: 1500 })).toEqual({
      message: 'The tool did not answer within 1.5 seconds',
      detail: 'the deadline passed while the tool ran',
    })
    expect(wordsOf({ type: 'rate-limited', retry_after_ms: 1001 }).detail).toBe('try again in 2 seconds')
    expect(wordsOf({ type: 'tool-timed-out', timeout_ms: 1000 }).message).toMatch(/within 1 second$/)
  })

  it('name what was asked for, cut, and the nearest there is', () => {
    expect(wordsOf({ type: 'tool-unknown', asked: 'x'.repeat(201), suggestions: [] }).message).toBe(
      `Tool '${'x'.repeat(200)}' was not found`,
    )
    expect(wordsOf({ type: 'tool-unknown', asked: 'x', suggestions: ['a', 'b'] }).message).toBe(
      "Tool 'x' was not found: did you mean 'a', 'b'?",
    )
  })

  it('become one sentence, or a detail that is one of its own', () => {
    expect(sentence({ message: 'Not so' })).toBe('Not so')
    expect(sentence({ message: 'Not so', detail: 'wanted thus' })).toBe('Not so: wanted thus')
    expect(detailOf({ message: 'Not so' })).toBeUndefined()
    expect(detailOf({ message: 'Not so', detail: 'wanted thus' })).toBe('Wanted thus')
  })
})

describe('problems of an input', () => {
  it('are of the whole, or of parameters', () => {
    const problems = [
      { path: '', message: 'Too many' },
      { path: '/a/0', message: 'Is wrong' },
      { path: '', message: 'Too deep' },
    ]
    expect(inputProblems(problems)).toEqual({
      whole: ['Too many', 'Too deep'],
      parameters: { a: "At '0': Is wrong" },
    })
  })
})
