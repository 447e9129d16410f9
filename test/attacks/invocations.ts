import { expect } from 'vitest'
import { definition } from '../e2e/definition.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { startWorld } from '../e2e/oauth/switchboard.ts'
import { connectVerified } from '../e2e/oauth/verifier.ts'
import { startUpstream } from '../upstream.ts'

type Headers = Readonly<Record<string, string>>

export type Invocations = Awaited<ReturnType<typeof startInvocations>>

const BYTES = { type: 'string', contentEncoding: 'base64' }
const OF_USER = { authorization: [], secrets: [], user_id: true }

/**
 * Starts a Switchboard whose tools each receive something else: a user's grant (`Mail.Transfer`), a secret (`Mail.Charge`),
 * the user's context (`Mail.Tell`), a file (`Mail.Post`), a person's responses (`Fixture.MultiRound`), or all of these
 * (`Mail.Order`). With `approval`, a person approves each of their calls.
 */
export async function startInvocations({ approval }: { readonly approval: boolean }) {
  const world = await startWorld()
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"charged":true}')
  })
  const { app, edge } = await connectVerified(world, {
    ALLOW_HTTP_HOSTS: [world.provider.host, world.api.host, upstream.host].join(),
    TOOL_SECRETS: '{"BANK_KEY": ["Mail.*"]}',
    BANK_KEY: 'account-of-the-deployment',
  })
  const as = await keyFor('the agent')
  await publish('Transfer', {
    fields: { requirements: { ...OF_USER, authorization: [{ id: 'mail', oauth2: { scopes: ['mail.send'] } }] } },
    implementation: {
      kind: 'http',
      method: 'POST',
      url: `${world.api.origin}/send`,
      credentials: [{ authorization: 'mail', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
      response: { type: 'json' },
    },
  })
  await publish('Charge', {
    fields: { requirements: { authorization: [], secrets: [{ id: 'BANK_KEY' }], user_id: false } },
    implementation: {
      kind: 'http',
      method: 'POST',
      url: `${upstream.origin}/charge`,
      credentials: [{ secret: 'BANK_KEY', in: 'header', name: 'X-Account' }],
      response: { type: 'json' },
    },
  })
  const echo = 'export default (input, { userInfo }) => ({ input, userInfo })'
  await publish('Tell', { fields: { requirements: OF_USER }, implementation: { kind: 'code', module: echo } })
  await publish('Order', {
    input: { eur: { type: 'integer' }, to: { type: 'string' }, note: { type: 'string' }, file: BYTES },
    fields: { requirements: { ...OF_USER, authorization: [{ id: 'mail' }], secrets: [{ id: 'BANK_KEY' }] } },
    implementation: { kind: 'code', module: echo },
  })
  await publish('Post', { input: { file: BYTES }, implementation: { kind: 'code', module: echo } })
  if (approval) await policy('Fixture.MultiRound')

  async function keyFor(name: string) {
    const key = {
      name,
      scopes: ['tools:read', 'tools:call'],
      tools: ['Mail.*', 'Fixture.*', 'mailbox.*'],
      users: 'any',
    }
    const { body } = await edge.ask('POST', '/keys', key)
    return { authorization: `Bearer ${body.key}` }
  }

  async function publish(
    tool: string,
    given: { readonly input?: object; readonly fields?: object; readonly implementation: object },
  ): Promise<void> {
    const { input = { eur: { type: 'integer' }, to: { type: 'string' } }, fields = {}, implementation } = given
    const inputSchema = { parameters: { type: 'object', properties: input } }
    const document = definition(`Mail.${tool}@1.0.0`, { ...fields, input_schema: inputSchema })
    const { status, body } = await edge.ask('POST', '/tools', {
      definition: document,
      implementation,
      ...(approval && { approval }),
    })
    expect([200, 201], JSON.stringify(body)).toContain(status)
  }

  async function policy(pattern: string): Promise<void> {
    const { status, body } = await edge.ask('PUT', `/policies/${pattern}`, { approval: true })
    expect([200, 201], JSON.stringify(body)).toContain(status)
  }

  /** Sends a request as the agent. */
  const ask = (method: string, path: string, body?: unknown, headers: Headers = {}) =>
    edge.ask(method, path, body, { ...as, ...headers })

  /** Calls a tool over OXP. */
  const call = (tool: string, more: object = {}) => ask('POST', '/tools/call', { tool_id: tool, input: {}, ...more })

  /** Calls a tool over the Open Tool Calling RFC, whose context describes the user. */
  const invoke = (tool: string, inputs: object, context: object, more: object = {}, headers: Headers = {}) => {
    const body = { tool: { name: tool, toolkit: 'Mail' }, inputs, context: { user_id: 'ann', ...context }, ...more }
    return ask('POST', '/worker/tools/invoke', body, headers)
  }

  /** Calls a tool over MCP 2026-07-28, as a client that can open pages and fill in forms. */
  async function mcp(name: string, params: object = {}, meta: object = {}, user = 'ann') {
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      'accept': 'application/json, text/event-stream',
      'x-user-id': user,
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'an attacker', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
      ...meta,
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, ...params, _meta } }
    const { body } = await ask('POST', '/mcp', message, headers)
    return body.result ?? body
  }

  /** Finds the URL of the page on which a person decides about a call. */
  function pageOf(answer: unknown): string {
    const [url] = /http[^"\\]+\/authorizations\/[\w-]{64}\/start/.exec(JSON.stringify(answer)) ?? []
    if (url === undefined) throw new Error(`There is no page: ${JSON.stringify(answer)}`)
    return url
  }

  /** Opens a page as its person, and approves. Returns the text of the page. */
  async function approve(url: string): Promise<string> {
    const person = new HttpPerson()
    const page = await person.open(url)
    const back = await person.press(page, /approve/i)
    expect((await person.press(back, /approve/i)).text).toContain('You approved')
    return page.text
  }

  /** Connects an account of a person at the provider, under a name. */
  async function connectAccount(user: string, account: string): Promise<void> {
    const asked = await call('Mail.Transfer', { context: { user_id: user, account } })
    const person = new HttpPerson()
    const page = await person.press(await person.open(pageOf(asked.body)), /continue/i)
    await person.answerProvider(page, `${user}-${account}`)
  }

  async function upload(text: string, filename: string): Promise<string> {
    const response = await fetch(new URL(`/artifacts?filename=${filename}`, edge.server.url), {
      method: 'POST',
      headers: { ...as, 'content-type': 'text/plain' },
      body: text,
    })
    const sent: { readonly handle: string } = JSON.parse(await response.text())
    return sent.handle
  }

  /** Lists the account of each request's token at the mail API. */
  const sentAs = () => world.api.requests.filter(({ path }) => path === '/send').map(({ account }) => account)
  const charged = () => upstream.arrived.map(({ headers }) => headers['x-account'])
  const sentToBank = () => upstream.arrived.map(({ body }) => body)

  const doing = { ask, call, invoke, mcp, pageOf, approve, connectAccount, upload, keyFor, sentAs, charged, sentToBank }
  return {
    ...doing,
    world,
    edge,
    stop: () => Promise.all([edge.server.stop(), upstream.close(), world.close(), app.close()]),
  }
}
