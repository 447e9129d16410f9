import { describe, expect, it } from 'vitest'
import { contextFor, type Made } from '../../test/tools/context.ts'
import getEmails from './GetEmails.ts'

const isList = ({ url }: Made) => url.pathname.endsWith('/messages')

function run(answer: (request: Made) => Response, input: object = {}) {
  const { context, made } = contextFor({ tokens: { google: 'token' }, userId: 'u', answer })
  return { made, result: Promise.resolve(getEmails.handler({ ...input }, context)) }
}

describe('Gmail.GetEmails', () => {
  it('lists messages with the search, then reads the subject of each', async () => {
    const { made, result } = run(
      (request) =>
        isList(request)
          ? Response.json({ messages: [{ id: 'a' }, { id: 'b/..' }] })
          : Response.json({
              id: request.url.pathname.split('/').at(-1),
              snippet: 'Hi',
              payload: { headers: [{ name: 'SUBJECT', value: 'Hello' }] },
            }),
      { query: 'from:x & subject:y' },
    )
    expect(await result).toEqual({
      emails: [
        { id: 'a', subject: 'Hello', snippet: 'Hi' },
        { id: 'b%2F..', subject: 'Hello', snippet: 'Hi' },
      ],
    })
    expect(made[0]?.url.searchParams.get('q')).toBe('from:x & subject:y')
    expect(made[0]?.url.searchParams.get('maxResults')).toBe('20')
    expect(made.map(({ url }) => url.pathname)).toEqual([
      '/gmail/v1/users/me/messages',
      '/gmail/v1/users/me/messages/a',
      '/gmail/v1/users/me/messages/b%2F..',
    ])
    for (const { url, headers, method } of made) {
      expect(url.origin).toBe('https://gmail.googleapis.com')
      expect([method, headers.get('authorization')]).toEqual(['GET', 'Bearer token'])
    }
  })

  it.each([
    ['that is empty', { messages: [] }],
    ['that Gmail leaves out', { resultSizeEstimate: 0 }],
  ])('gives no emails for a list %s', async (_, list) => {
    const { made, result } = run(() => Response.json(list))
    expect(await result).toEqual({ emails: [] })
    expect(made).toHaveLength(1)
    expect(made[0]?.url.searchParams.has('q')).toBe(false)
  })

  it('gives an empty subject and snippet where a message has none', async () => {
    const { result } = run((request) => Response.json(isList(request) ? { messages: [{ id: 'a' }] } : { id: 'a' }))
    expect(await result).toEqual({ emails: [{ id: 'a', subject: '', snippet: '' }] })
  })

  it.each([
    [401, {}, { message: 'Gmail did not accept the authorization', can_retry: false }],
    [403, {}, { message: 'Gmail answered 403', can_retry: false }],
    [429, { 'retry-after': '7' }, { message: 'Gmail answered 429', can_retry: true, retry_after_ms: 7_000 }],
    [500, {}, { message: 'Gmail answered 500', can_retry: true }],
    [503, { 'retry-after': 'soon' }, { message: 'Gmail answered 503', can_retry: true }],
  ])('fails when Gmail answers %d, to the list or to a message', async (status, headers, failed) => {
    const refusal = () => new Response('', { status, headers: { ...headers } })
    const developer_message = expect.stringContaining(String(status))
    expect(await run(refusal).result).toEqual({ failed: { ...failed, developer_message } })
    const late = run((request) => (isList(request) ? Response.json({ messages: [{ id: 'a' }] }) : refusal()))
    expect(await late.result).toEqual({ failed: { ...failed, developer_message } })
  })

  it.each(['', '<html>', '{"messages": [', 'null', '7'])('fails when Gmail answers %j', async (text) => {
    const failed = { message: 'Gmail answered something that cannot be read', can_retry: true }
    expect(await run(() => new Response(text)).result).toEqual({ failed })
    const late = run((request) => (isList(request) ? Response.json({ messages: [{ id: 'a' }] }) : new Response(text)))
    expect(await late.result).toEqual({ failed })
  })
})
