import { failed, defineTool } from '#tool'

/**
 * Twilio's Messages resource (REST API 2010-04-01).
 *
 * Twilio needs an account, a credential and a sender. One secret contains all three:
 * `<account sid>:<auth token>:<from>`, or with an API key `<account sid>:<key sid>:<key secret>:<from>`, where `from`
 * is a phone number or the sid of a messaging service (`MG…`).
 */
export default defineTool({
  version: '0.1.2',
  isDemo: true,
  description: 'Sends SMS messages using Twilio.',
  input: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'Recipient phone number.' },
      message: { type: 'string', description: 'Message content to send.' },
    },
    required: ['to', 'message'],
  },
  output: {
    type: 'object',
    properties: { status: { type: 'string', description: 'Status of the SMS sending operation.' } },
    required: ['status'],
  },
  requirements: { secrets: [{ id: 'TWILIO_API_KEY' }] },
  hosts: ['api.twilio.com'],
  handler: async ({ to, message }, { fetch, secrets, signal }) => {
    const twilio = parseAccount(secrets.TWILIO_API_KEY)
    if (!twilio) {
      return failed({
        message: 'The SMS service is not set up correctly',
        developer_message:
          "TWILIO_API_KEY must be '<account sid>:<auth token>:<from>' or '<account sid>:<key sid>:<key secret>:<from>'",
      })
    }
    const body = new URLSearchParams({ To: to, Body: message })
    body.set(twilio.from.startsWith('MG') ? 'MessagingServiceSid' : 'From', twilio.from)
    const response = await fetch(`https://api.twilio.com/2010-04-01/Accounts/${twilio.account}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${twilio.user}:${twilio.password}`)}`, accept: 'application/json' },
      body,
      signal,
    })
    if (!response.ok) {
      const errorBody = await response.json<{ message?: string } | null>().catch(() => null)
      return failed({
        message: `Twilio refused the message: ${errorBody?.message ?? `it answered ${response.status}`}`,
        developer_message: `api.twilio.com answered ${response.status}`,
        can_retry: response.status === 429 || response.status >= 500,
      })
    }
    const sentMessage = await response.json<{ status?: string } | null>().catch(() => null)
    // Twilio has accepted the message, even if its response is unreadable: a retry would send it twice
    return { status: sentMessage?.status ?? 'accepted' }
  },
})

function parseAccount(secret: string): { account: string; user: string; password: string; from: string } | undefined {
  const parts = secret.split(':')
  if (!/^AC[A-Za-z0-9]+$/.test(parts[0] ?? '') || !parts.every((part) => /^[\x21-\x7e]+$/.test(part))) return undefined
  const [account = '', user = '', password = '', from = ''] =
    parts.length === 3 ? [parts[0], parts[0], parts[1], parts[2]] : parts
  return from === '' || parts.length > 4 ? undefined : { account, user, password, from }
}
