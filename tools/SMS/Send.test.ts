import { describe, expect, it } from 'vitest'
import { contextFor, type Made } from '../../test/tools/context.ts'
import send from './Send.ts'

const SECRET = 'AC123:token:+15550001111'

function run(answer: (request: Made) => Response, secret = SECRET) {
  const { context, made } = contextFor({ secrets: { TWILIO_API_KEY: secret }, answer })
  return { made, result: Promise.resolve(send.handler({ to: '+1 555', message: 'a&b=ü' }, context)) }
}

const queued = () => Response.json({ sid: 'SM1', status: 'queued' }, { status: 201 })

describe('SMS.Send', () => {
  it('posts the message to the account of the secret', async () => {
    const { made, result } = run(queued)
    expect(await result).toEqual({ status: 'queued' })
    expect(made).toHaveLength(1)
    expect(made[0]?.method).toBe('POST')
    expect(made[0]?.url.href).toBe('https://api.twilio.com/2010-04-01/Accounts/AC123/Messages.json')
    expect(made[0]?.headers.get('authorization')).toBe(`Basic ${btoa('AC123:token')}`)
    expect(Object.fromEntries(new URLSearchParams(made[0]?.body))).toEqual({
      To: '+1 555',
      Body: 'a&b=ü',
      From: '+15550001111',
    })
  })

  it('authenticates with an API key, and sends by a messaging service, when the secret says so', async () => {
    const { made, result } = run(queued, 'AC123:SK456:key-secret:MG789')
    await result
    expect(made[0]?.headers.get('authorization')).toBe(`Basic ${btoa('SK456:key-secret')}`)
    expect(made[0]?.url.pathname).toContain('/AC123/')
    const body = new URLSearchParams(made[0]?.body)
    expect([body.get('MessagingServiceSid'), body.has('From')]).toEqual(['MG789', false])
  })

  it.each([
    [400, { code: 21211, message: "Invalid 'To' Phone Number" }, "Invalid 'To' Phone Number", false],
    [401, { code: 20003, message: 'Authenticate' }, 'Authenticate', false],
    [429, {}, 'it answered 429', true],
    [500, null, 'it answered 500', true],
  ])('fails when Twilio answers %d', async (status, body, why, can_retry) => {
    expect(await run(() => Response.json(body, { status })).result).toEqual({
      failed: {
        message: `Twilio refused the message: ${why}`,
        developer_message: `api.twilio.com answered ${status}`,
        can_retry,
      },
    })
  })

  it('fails when Twilio refuses with what is no JSON', async () => {
    const { result } = run(() => new Response('<html>', { status: 502 }))
    expect(await result).toMatchObject({ failed: { message: expect.stringContaining('502'), can_retry: true } })
  })

  it.each(['', '<html>', 'null', '{}'])(
    'does not fail for an answer of %j: the message is on its way',
    async (text) => {
      expect(await run(() => new Response(text, { status: 201 })).result).toEqual({ status: 'accepted' })
    },
  )

  it.each([
    '',
    'token',
    'AC123',
    'AC123:token',
    'AC123::+1555',
    'AC123:token:',
    ':token:+1555',
    'XX123:token:+1555',
    'AC/../x:token:+1555',
    'AC123:a:b:c:d',
    'AC123:tokén:+1555',
    'AC123:token:+1555\n',
    'AC123:to ken:+1555',
  ])('sends nothing with the malformed secret %j, and does not show it', async (secret) => {
    const { made, result } = run(queued, secret)
    const answer = await result
    expect(answer).toMatchObject({ failed: { message: 'The SMS service is not set up correctly' } })
    if (secret !== '' && !secret.startsWith('<')) {
      expect(JSON.stringify(answer)).not.toContain('AC123')
    }
    expect(made).toEqual([])
  })
})
