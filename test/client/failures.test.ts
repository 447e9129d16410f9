import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SwitchboardError } from '../../src/client/index.ts'
import { type Answer, clientOf, cut, failed, gave, json, lost } from './answers.ts'

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Returns the error of a call to a deployment with these responses. */
async function failureOf(answers: readonly Answer[], options = {}): Promise<SwitchboardError> {
  const error: unknown = await clientOf(answers)
    .client.call('A.B', {}, options)
    .then(
      (value) => expect.unreachable(JSON.stringify(value)),
      (thrown: unknown) => thrown,
    )
  if (!(error instanceof SwitchboardError)) throw error
  return error
}

it.each([
  [
    400,
    { message: "Tool 'A.B' was not found: did you mean 'A.C'?", suggestions: ['A.C'] },
    'refused',
    { suggestions: ['A.C'] },
  ],
  [401, { message: 'No key' }, 'unauthenticated', {}],
  [403, { message: 'Not for you' }, 'forbidden', {}],
  [404, { message: 'Nothing' }, 'not_found', {}],
  [409, { message: 'Another call' }, 'conflict', {}],
  [
    422,
    { message: 'Wrong', parameter_errors: { a: 'Is required' } },
    'input_invalid',
    { parameterErrors: { a: 'Is required' } },
  ],
  [
    422,
    { message: 'Wrong', errors: [{ path: '/a', message: 'No' }] },
    'invalid',
    { problems: [{ path: '/a', message: 'No' }] },
  ],
  [500, { message: 'Our fault' }, 'internal', {}],
  [
    400,
    { message: 'More', missing_requirements: { secrets: [{ id: 'S' }], user_id: true } },
    'requirements_missing',
    { missing: { secrets: ['S'], user: true } },
  ],
  [
    400,
    {
      message: 'More',
      missing_requirements: { authorization: [{ id: 'mail', url: 'https://x' }], needs_setup: ['mail'] },
    },
    'requirements_missing',
    { missing: { secrets: [], providers: ['mail'], user: false } },
  ],
] as const)('a failure with %i %j is %s', async (status, body, code, details) => {
  const error = await failureOf([json({ $schema: 'urn:oxp:1.0', ...body, developer_message: 'Look' }, status)])
  expect(error).toMatchObject({ code, message: body.message })
  expect(error.details).toMatchObject({ status, developerMessage: 'Look', callId: expect.any(String), ...details })
})

it('a refused call reports what helps, such as the existing versions', async () => {
  const developer_message = 'A.B version 2.0.0 is not available'
  const suggestions = ['A.B@1.0.0']
  const error = await failureOf([json({ message: "Tool 'A_B' was not found", developer_message, suggestions }, 400)])
  const message = `Tool 'A_B' was not found: ${developer_message}: there is 'A.B@1.0.0'`
  const details = { developerMessage: developer_message, suggestions }
  expect(error).toMatchObject({ code: 'refused', message, details })
  expect(await failureOf([json({ message: 'Too large' }, 413)])).toMatchObject({ message: 'Too large' })
})

it('a failed tool reports whether to retry, and what to tell the model', async () => {
  const error = await failureOf([
    failed({ message: 'No such folder', can_retry: false, additional_prompt_content: 'Folders are a and b' }),
  ])
  expect(error).toMatchObject({
    code: 'tool_failed',
    message: 'No such folder',
    details: { canRetry: false, promptContent: 'Folders are a and b' },
  })
})

it.each([
  [200, '<html>', 'answer_invalid'],
  [200, '[]', 'answer_invalid'],
  [200, '{"result":null}', 'answer_invalid'],
  [404, '<html>', 'answer_invalid'],
  [500, '', 'answer_invalid'],
  [200, '{"result":{}}', 'tool_failed'],
])('a response that is not from a Switchboard is reported as invalid: %i %s', async (status, text, code) => {
  expect(await failureOf([() => new Response(text, { status })])).toMatchObject({ code })
})

const BUSY = json({ message: 'Too many' }, 429, { 'retry-after': '0' })
const AWAY = json({ message: 'Away' }, 503)

it.each([
  ['a connection that is lost', lost],
  ['an answer that is cut', cut],
  ['429', BUSY],
  ['503', AWAY],
  ['503 of a gateway', () => new Response('<html>', { status: 503 })],
  ['a tool that says so', failed({ message: 'Busy', can_retry: true, retry_after_ms: 0 })],
] as const)('a failed attempt is repeated with the same call id: %s', async (_, answer) => {
  const { client, asked } = clientOf([answer, answer, gave(7)])
  const { value, callId } = await client.call('A.B', { a: 1 })
  expect(value).toBe(7)
  expect(asked.map(({ body }) => body.request)).toEqual(
    Array.from({ length: 3 }, () => ({ tool_id: 'A.B', call_id: callId, input: { a: 1 } })),
  )
})

const ANOTHER = failed({ message: 'No', can_retry: true, additional_prompt_content: 'Send 1 or 2' })

it.each([json({ message: 'No' }, 400), json({ message: 'No' }, 500), failed({ message: 'No' }), ANOTHER])(
  'a failed attempt is not repeated if that cannot help',
  async (answer) => {
    const { client, asked } = clientOf([answer])
    await expect(client.call('A.B')).rejects.toThrow('No')
    expect(asked).toHaveLength(1)
  },
)

it('a failed attempt is repeated up to the configured number of attempts', async () => {
  const { client, asked } = clientOf([lost], { attempts: 3 })
  await expect(client.call('A.B')).rejects.toMatchObject({ code: 'unreachable', details: { canRetry: true } })
  expect(asked).toHaveLength(3)
})

it('a failed attempt waits for the time in the response plus a random delay, which doubles each time', async () => {
  vi.useFakeTimers()
  vi.mocked(Math.random).mockReturnValue(0.5)
  const { client, asked } = clientOf([json({ message: 'Too many' }, 429, { 'retry-after': '30' }), AWAY, gave(1)])
  const called = client.call('A.B')
  await vi.advanceTimersByTimeAsync(30_199)
  expect(asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(399)
  expect(asked).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect((await called).value).toBe(1)
})

it('a failed attempt reports a wait of more than a minute, as seconds or a date', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') })
  for (const after of ['61', 'Thu, 01 Jan 2026 00:01:01 GMT']) {
    const error = await failureOf([json({ message: 'Too many' }, 429, { 'retry-after': after })])
    expect(error).toMatchObject({ code: 'rate_limited', details: { retryAfterMs: 61_000 } })
  }
})

const never: Answer = (_, signal) =>
  new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

it('a call ends at its timeout', async () => {
  expect(await failureOf([never], { timeout: 5 })).toMatchObject({ code: 'timed_out' })
})

it('a call ends when its caller aborts it, even between two attempts', async () => {
  const stop = new AbortController()
  const during = failureOf([never], { signal: stop.signal })
  const between = failureOf([json({ message: 'Busy' }, 429, { 'retry-after': '50' })], { signal: stop.signal })
  setTimeout(() => stop.abort(), 5)
  expect(await during).toMatchObject({ code: 'cancelled' })
  expect(await between).toMatchObject({ code: 'cancelled' })
  expect(await failureOf([gave(1)], { signal: stop.signal })).toMatchObject({ code: 'cancelled' })
})

it('a call sends its version, user and id in the fields of OXP', async () => {
  const { client, asked } = clientOf([gave(null)], { user: 'ann' })
  expect(await client.call('A.B', {}, { version: '^1', callId: 'mine' })).toEqual({ callId: 'mine', value: null })
  await client.call('A.B@2.0.0', {}, { user: 'bob', select: 'a' })
  expect(asked.map(({ body }) => body.request)).toEqual([
    { tool_id: 'A.B@^1', call_id: 'mine', input: {}, context: { user_id: 'ann' } },
    { tool_id: 'A.B@2.0.0', call_id: expect.any(String), input: {}, context: { user_id: 'bob', select: 'a' } },
  ])
})
