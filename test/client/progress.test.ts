import { describe, expect, it, vi } from 'vitest'
import type { Progress } from '../../src/client/index.ts'
import { clientOf, gave, json, streamed } from './answers.ts'

const progress = (params: object) => ({ jsonrpc: '2.0', method: 'notifications/progress', params })
const result = (given: object) => ({ jsonrpc: '2.0', id: 1, result: { resultType: 'complete', content: [], ...given } })
const text = (said: string) => ({ type: 'text', text: said })

async function report(answers: Parameters<typeof clientOf>[0], asked = 'A.B', options = {}) {
  const told: Progress[] = []
  const made = clientOf(answers, { user: 'ann' })
  const onProgress = (one: Progress) => void told.push(one)
  return { ...made, told, called: made.client.call(asked, { a: 1 }, { callId: 'c', onProgress, ...options }) }
}

describe('a call that wants progress', () => {
  it('is told of it, and of what came of the call, however the stream is cut into parts', async () => {
    for (const size of [1, 7, 10_000]) {
      const stream = [
        progress({ progressToken: 'c', progress: 1, total: 2, message: 'Hälf' }),
        { jsonrpc: '2.0', method: 'notifications/message', params: {} },
        progress({ progressToken: 'c', progress: 2 }),
        result({ structuredContent: { done: true } }),
      ]
      const { called, told, asked } = await report([streamed(stream, size)], 'A.B@^1')
      expect((await called).value).toEqual({ done: true })
      expect(told).toEqual([{ progress: 1, total: 2, message: 'Hälf' }, { progress: 2 }])
      expect(asked[0]?.url.pathname).toBe('/mcp')
      expect(asked[0]?.headers.get('x-user-id')).toBe('ann')
      expect(asked[0]?.body.params).toMatchObject({
        name: 'A_B',
        arguments: { a: 1 },
        _meta: { 'dev.switchboard/call_id': 'c', 'dev.switchboard/version': '^1' },
      })
    }
  })

  it.each([
    [{ structuredContent: [1] }, [1]],
    [{ structuredContent: 0, content: [text('0')] }, 0],
    [{ content: [text('null')] }, null],
    [{ content: [] }, null],
    [{ content: [text('a'), text('b')] }, 'a\nb'],
    [{ content: [{ type: 'image', data: 'x' }] }, { content: [{ type: 'image', data: 'x' }] }],
  ])('gives the value of %j', async (given, value) => {
    const { called } = await report([json(result(given))])
    expect((await called).value).toEqual(value)
  })

  it.each([
    [
      { 'dev.switchboard/parameter_errors': { a: 'Is required' } },
      { code: 'input_invalid', details: { parameterErrors: { a: 'Is required' } } },
    ],
    [
      {
        'dev.switchboard/missing_requirements': {
          authorization: [{ id: 'mail', url: 'https://x.test/' }],
          secrets: [],
          user_id: false,
        },
      },
      { code: 'authorization_required', details: { challenges: [{ id: 'mail', url: 'https://x.test/' }] } },
    ],
    [
      { 'dev.switchboard/error': { developer_message: 'Look' } },
      { code: 'tool_failed', details: { developerMessage: 'Look' } },
    ],
    [undefined, { code: 'tool_failed', details: { canRetry: false } }],
  ])('fails as any call: %j', async (_meta, failure) => {
    const { called } = await report([
      json(result({ isError: true, content: [text('It failed')], ...(_meta ? { _meta } : {}) })),
    ])
    await expect(called).rejects.toMatchObject({ message: 'It failed', ...failure })
  })

  it.each([
    [200, -32602, 'refused'],
    [200, 403, 'forbidden'],
    [401, 401, 'unauthenticated'],
    [500, -32603, 'internal'],
  ])('fails as HTTP %i and JSON-RPC %i say: %s', async (status, code, expected) => {
    const { called } = await report([json({ jsonrpc: '2.0', id: 1, error: { code, message: 'No' } }, status)])
    await expect(called).rejects.toMatchObject({ code: expected, message: 'No' })
  })

  it('is made again under its id when the stream ends without an answer', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { called, asked } = await report([
      streamed([progress({ progress: 1 })]),
      json(result({ structuredContent: 1 })),
    ])
    expect((await called).value).toBe(1)
    expect(asked.map(({ body }) => body.params._meta['dev.switchboard/call_id'])).toEqual(['c', 'c'])
    vi.restoreAllMocks()
  })

  it.each([
    ['whose id is too long', `A.${'b'.repeat(63)}`, {}],
    ['for a user that no header holds', 'A.B', { user: 'Ænn→' }],
  ])('of a tool %s goes without', async (_, tool, options) => {
    const { called, asked, told } = await report([gave(1)], tool, options)
    expect((await called).value).toBe(1)
    expect(asked[0]?.url.pathname).toBe('/tools/call')
    expect(told).toEqual([])
  })
})
