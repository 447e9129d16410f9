import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import type { SignatureScheme } from '../../src/core/event/event-source.ts'
import { sendMcp } from './mcp-request.ts'
import type { RunningServer } from './server.ts'

/** Senders of webhooks, and a Switchboard that knows their secrets. */

export const ADMIN_KEY = 'admin-key-of-this-test-0123456789'
export const admin = { authorization: `Bearer ${ADMIN_KEY}` }
export const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
export const HOOK_SECRET = 'a secret of this test, of no sender'
export const SECRETS = { STANDARD_SECRET, HOOK_SECRET }

const hex = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex')
const seconds = (at: number) => Math.floor(at / 1_000)

/** Creates each sender's headers, written from its documentation and not from the code that reads them. */
export const createSenders = (secret: string, hookSecret = secret) => ({
  'standard-webhooks': (body: string, id = 'msg_1', at = Date.now()) => ({
    'webhook-id': id,
    'webhook-timestamp': String(seconds(at)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
  }),
  'github': (body: string, event = 'push') => ({
    'x-github-event': event,
    'x-github-delivery': crypto.randomUUID(),
    'x-hub-signature-256': `sha256=${hex(body, hookSecret)}`,
  }),
  'stripe': (body: string, _?: string, at = Date.now()) => ({
    'stripe-signature': `t=${seconds(at)},v1=${hex(`${seconds(at)}.${body}`, hookSecret)}`,
  }),
  'slack': (body: string, _?: string, at = Date.now()) => ({
    'x-slack-request-timestamp': String(seconds(at)),
    'x-slack-signature': `v0=${hex(`v0:${seconds(at)}:${body}`, hookSecret)}`,
  }),
  'shared-secret': (_: string, id?: string) => ({
    'x-webhook-secret': hookSecret,
    ...(id === undefined ? {} : { 'webhook-id': id }),
  }),
})
export const SENDERS = createSenders(STANDARD_SECRET, HOOK_SECRET)

export async function putSource(server: RunningServer, name: string, settings: object): Promise<void> {
  const { status, body } = await server.json('PUT', `/event-sources/${name}`, settings, admin)
  expect([200, 201], JSON.stringify(body)).toContain(status)
}

export const webhook = (signature: SignatureScheme, others: object = {}) => ({
  kind: 'webhook',
  signature,
  secret_name: signature === 'standard-webhooks' ? 'STANDARD_SECRET' : 'HOOK_SECRET',
  ...others,
})

export function deliver(server: RunningServer, source: string, body: string, headers: Record<string, string>) {
  const json = { 'content-type': 'application/json' }
  return fetch(`${server.url}/events/${source}`, { method: 'POST', headers: { ...json, ...headers }, body })
}

export async function newKey(server: RunningServer, key: object) {
  const { status, body } = await server.json('POST', '/keys', { name: 'k', scopes: ['tools:call'], ...key }, admin)
  expect(status).toBe(201)
  const made = Object(body)
  return { id: String(made.id), authorization: `Bearer ${made.key}` }
}

/** Sends one MCP message. */
export const rpc = (server: RunningServer, authorization: string, method: string, params: object) =>
  sendMcp(server, method, { ...params }, { headers: { authorization } })

/** Waits until a value fits; fails with the last value. */
export async function eventually<T>(read: () => T | Promise<T>, isFit: (value: T) => boolean, ms = 15_000): Promise<T> {
  const end = Date.now() + ms
  for (;;) {
    const value = await read()
    if (isFit(value)) return value
    if (Date.now() > end) throw new Error(`Waited in vain: ${JSON.stringify(value)}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}
