import { failed, defineTool } from '#tool'

const MESSAGES = 'https://gmail.googleapis.com/gmail/v1/users/me/messages'
const MAX_EMAILS = 20

interface Message {
  readonly id: string
  readonly snippet?: string
  readonly payload?: { readonly headers?: readonly { readonly name: string; readonly value: string }[] }
}

/** Gmail REST API: users.messages.list, then users.messages.get (metadata only) for each message found. */
export default defineTool({
  version: '1.2.0',
  isDemo: true,
  description: 'Retrieves emails from Gmail using OAuth 2.0 authentication.',
  input: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Search query for filtering emails.' },
    },
    required: [],
  },
  output: {
    type: 'object',
    properties: {
      emails: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, subject: { type: 'string' }, snippet: { type: 'string' } },
          required: ['id', 'subject', 'snippet'],
        },
        description: 'List of retrieved emails.',
      },
    },
    required: ['emails'],
  },
  requirements: {
    authorization: [{ id: 'google', oauth2: { scopes: ['https://www.googleapis.com/auth/gmail.readonly'] } }],
    user_id: true,
  },
  annotations: { readOnlyHint: true },
  hosts: ['gmail.googleapis.com'],
  handler: async ({ query }, { fetch, token, signal }) => {
    const headers = { authorization: `Bearer ${token('google')}`, accept: 'application/json' }
    const search = new URLSearchParams({ maxResults: String(MAX_EMAILS) })
    if (query !== undefined) search.set('q', query)

    const list = await fetch(`${MESSAGES}?${search}`, { headers, signal })
    if (!list.ok) return toFailure(list)
    const listing = await readJson<{ messages?: readonly { readonly id: string }[] }>(list)
    if (!listing) return unreadableFailure()
    const { messages = [] } = listing

    const details = new URLSearchParams({ format: 'metadata', metadataHeaders: 'Subject' })
    const responses = await Promise.all(
      messages.map(({ id }) => fetch(`${MESSAGES}/${encodeURIComponent(id)}?${details}`, { headers, signal })),
    )
    const failedResponse = responses.find((answer) => !answer.ok)
    if (failedResponse) return toFailure(failedResponse)
    const bodies = await Promise.all(responses.map((answer) => readJson<Message>(answer)))
    const emails = bodies.filter((message) => message !== undefined)
    if (emails.length < bodies.length) return unreadableFailure()
    return { emails: emails.map(({ id, snippet = '', payload }) => ({ id, subject: getSubject(payload), snippet })) }
  },
})

/** Returns the JSON object in a response, or undefined if it has none. */
async function readJson<T extends object>(answer: Response): Promise<T | undefined> {
  const value = await answer.json<T | null>().catch(() => undefined)
  return typeof value === 'object' && value !== null ? value : undefined
}

function unreadableFailure() {
  return failed({ message: 'Gmail answered something that cannot be read', can_retry: true })
}

function getSubject(payload: Message['payload']): string {
  return payload?.headers?.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? ''
}

function toFailure(answer: Response) {
  const retryAfter = Number(answer.headers.get('retry-after'))
  return failed({
    message: answer.status === 401 ? 'Gmail did not accept the authorization' : `Gmail answered ${answer.status}`,
    developer_message: `gmail.googleapis.com answered ${answer.status} ${answer.statusText}`,
    can_retry: answer.status === 429 || answer.status >= 500,
    ...(retryAfter > 0 ? { retry_after_ms: Math.ceil(retryAfter * 1000) } : {}),
  })
}
