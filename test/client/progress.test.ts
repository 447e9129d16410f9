import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ToolProgress } from '../../src/client/index.ts'
import { type Answer, clientOf, cutStream, failed, gave, json, lost, streamed } from './answers.ts'

const progress = (data: object) => ({ event: 'progress', data })
const status = (data: object) => ({ event: 'status', data })
const result = (data: object) => ({ event: 'result', data })
const value = (given: unknown) => result({ result: { call_id: 'c', success: true, duration: 1, value: given } })

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

function report(answers: readonly Answer[], asked = 'A.B', options = {}) {
  const told: ToolProgress[] = []
  const made = clientOf(answers, { user: 'ann' })
  const onProgress = (one: ToolProgress) => void told.push(one)
  return { ...made, told, called: made.client.call(asked, { a: 1 }, { callId: 'c', onProgress, ...options }) }
}

it('a call with progress receives it and the outcome, in any chunks of the stream', async () => {
  for (const size of [1, 7, 10_000]) {
    const stream = [
      progress({ progress: 1, total: 2, message: 'Hälf\nway' }),
      { event: 'news', data: { progress: 7 } },
      progress({ progress: 2, total: 'many', message: 7 }),
      value({ done: true }),
      progress({ progress: 3 }),
    ]
    const { called, told, asked } = report([streamed(stream, size)], 'A.B@^1')
    expect((await called).value).toEqual({ done: true })
    expect(told).toEqual([{ progress: 1, total: 2, message: 'Hälf\nway' }, { progress: 2 }])
    expect(asked[0]?.url.pathname).toBe('/tools/call')
    expect(asked[0]?.headers.get('accept')).toBe('application/json, text/event-stream')
    expect(asked[0]?.body.request).toEqual({
      tool_id: 'A.B@^1',
      call_id: 'c',
      input: { a: 1 },
      context: { user_id: 'ann' },
    })
  }
})

it.each([
  ['whose id is long', `A.${'b'.repeat(100)}`, {}],
  ['for a user that no header holds', 'A.B', { user: 'Ænn→' }],
])('a call with progress receives it from a tool %s', async (_, tool, options) => {
  const { called, told } = report([streamed([progress({ progress: 1 }), value(1)])], tool, options)
  expect((await called).value).toBe(1)
  expect(told).toEqual([{ progress: 1 }])
})

it('a call with progress accepts JSON without progress, and fails like any other', async () => {
  const { called, told } = report([gave([1])])
  expect((await called).value).toEqual([1])
  expect(told).toEqual([])
  await expect(report([failed({ message: 'No paper' })]).called).rejects.toMatchObject({ code: 'tool_failed' })
  const refused = json({ message: 'Wrong', parameter_errors: { a: 'Is required' } }, 422)
  await expect(report([refused]).called).rejects.toMatchObject({
    code: 'input_invalid',
    details: { parameterErrors: { a: 'Is required' } },
  })
})

it('a call with progress fails as the end of the stream says, with the equivalent HTTP status', async () => {
  const ends = (...events: readonly { event: string; data: object }[]) =>
    report([streamed([progress({ progress: 1 }), ...events])]).called
  const error = { message: 'No paper', developer_message: 'Look' }
  await expect(ends(result({ result: { success: false, error } }))).rejects.toMatchObject({
    code: 'tool_failed',
    message: 'No paper',
    details: { developerMessage: 'Look' },
  })
  const missing = {
    message: 'More',
    missing_requirements: { authorization: [{ id: 'mail', url: 'https://x.test/' }] },
  }
  await expect(ends(status({ status: 400 }), result(missing))).rejects.toMatchObject({
    code: 'authorization_required',
    details: { challenges: [{ id: 'mail', url: 'https://x.test/' }], status: 400 },
  })
  await expect(ends(status({ status: 500 }), result({ message: 'Our fault' }))).rejects.toMatchObject({
    code: 'internal',
  })
  await expect(ends(result([]))).rejects.toMatchObject({ code: 'answer_invalid' })
})

it.each([
  ['was lost before there was an answer', lost],
  ['was lost in the middle of the stream', cutStream([progress({ progress: 1 })])],
  ['was closed without an answer', streamed([progress({ progress: 1 })])],
  [
    'says when to come again',
    streamed([progress({ progress: 1 }), status({ status: 503, retry_after: 0 }), result({ message: 'Away' })]),
  ],
] as const)('a call with progress is repeated under its id if the connection %s', async (_, answer) => {
  const { called, asked } = report([answer, answer, gave(7)])
  expect((await called).value).toBe(7)
  expect(asked.map(({ body }) => body.request.call_id)).toEqual(['c', 'c', 'c'])
})
