import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { type RunningServer, startApp } from '../server.ts'
import { definition } from '../definition.ts'
import { type MailApi, startMailApi } from './mail-api.ts'
import { CLIENT_ID, startProvider, type TestProvider } from './provider.ts'

export const ADMIN_KEY = randomBytes(24).toString('base64url')

/** The network around a Switchboard: a provider, and the API that accepts its tokens. */
export interface World {
  readonly provider: TestProvider
  readonly api: MailApi
  close(): Promise<void>
}

export async function startWorld(...options: Parameters<typeof startProvider>): Promise<World> {
  const provider = await startProvider(...options)
  const api = await startMailApi(provider)
  return {
    provider,
    api,
    async close() {
      await Promise.all([provider.close(), api.close()])
    },
  }
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // Tests check the contents
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface Challenged {
  readonly id: string
  readonly url: string
  readonly check_url: string
}

/** A Switchboard that is connected to the world's provider, and has tools for its API. */
export interface Connected<Running extends RunningServer = RunningServer> {
  readonly server: Running
  /** Headers and bodies of all its responses to this object. */
  readonly said: string[]
  /** Creates an agent's key, which may call the tools of the mail API for these users. */
  keyFor(users: 'any' | readonly string[], scopes?: readonly string[]): Promise<string>
  /** Sends a request as an agent that may act for any user, unless the headers contain another key. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>
  /** Calls a tool for a user, over OXP. */
  call(tool: string, user: string | undefined, more?: Readonly<Record<string, unknown>>): Promise<Reply>
  /** Calls a tool for a user, and returns the resulting challenge. */
  challenge(tool: string, user: string | undefined, input?: object): Promise<Challenged>
  /** Waits for an authorization to end, and returns its state. */
  settled(checkUrl: string): Promise<Reply['body']>
}

/** Creates a vault key: 32 random bytes. */
export const vaultKey = () => randomBytes(32).toString('base64url')

/** Returns the variables of a Switchboard in a world. */
export function varsOf({ provider, api }: World): Record<string, string> {
  return {
    ACCESS: 'keys',
    ADMIN_KEY,
    ALLOW_HTTP_HOSTS: `${provider.host},${api.host}`,
    MAIL_CLIENT_SECRET: provider.clientSecret,
    VAULT_KEYS: vaultKey(),
  }
}

/** Starts the app in a world; `vars` override the defaults. */
export async function connect(
  world: World,
  { vars = {} }: { readonly vars?: Readonly<Record<string, string>> } = {},
): Promise<Connected> {
  return connectTo(world, await startApp({ vars: { ...varsOf(world), ...vars } }))
}

/**
 * Connects a server that was started in a world. If it has state already, the provider and tools are published again, which
 * changes nothing.
 */
export async function connectTo<Running extends RunningServer>(
  world: World,
  server: Running,
): Promise<Connected<Running>> {
  const { provider } = world
  const said: string[] = []
  const agent = { authorization: '' }
  const ask: Connected['ask'] = async (method, path, body, headers = { authorization: `Bearer ${ADMIN_KEY}` }) => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    said.push([...response.headers].map((pair) => pair.join(': ')).join('\n'), text)
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const connected: Connected<Running> = {
    server,
    said,
    ask,
    async keyFor(users, scopes = ['tools:read', 'tools:call']) {
      const given = { name: 'an agent', scopes, tools: ['Mail.*', 'mailbox.*'], users }
      const { status, body } = await ask('POST', '/keys', given)
      expect(status, JSON.stringify(body)).toBe(201)
      return String(body.key)
    },
    call: (tool, user, more = {}) => {
      const context = { ...(user === undefined ? {} : { user_id: user }), ...Object(more['context']) }
      return ask('POST', '/tools/call', { tool_id: tool, input: {}, ...more, context }, agent)
    },
    async challenge(tool, user, input = {}) {
      const { status, body } = await connected.call(tool, user, { input })
      expect({ status, body }, JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { missing_requirements: { authorization: [{ url: expect.stringContaining(server.url) }] } },
      })
      return body.missing_requirements.authorization[0]
    },
    async settled(checkUrl) {
      for (;;) {
        const { status, body } = await ask('GET', `${checkUrl}?wait=59`, undefined, agent)
        expect(status, JSON.stringify(body)).toBe(200)
        if (body.status === 'completed' || body.status === 'failed') return body
      }
    },
  }
  provider.allowRedirectTo(`${server.url}/oauth/callback`)
  try {
    await publishAll(connected, world)
    agent.authorization = `Bearer ${await connected.keyFor('any')}`
  } catch (error) {
    // The caller has no reference to stop it
    await server.stop()
    throw error
  }
  return connected
}

async function publishAll({ ask }: Pick<Connected, 'ask'>, { provider, api }: World): Promise<void> {
  const put = await ask('PUT', '/providers/mail', {
    name: 'Test Mail',
    issuer: provider.issuer,
    client_id: CLIENT_ID,
    client_secret_name: 'MAIL_CLIENT_SECRET',
    // OpenID Connect (section 11): a refresh token requires the scope `offline_access` and a consent prompt
    extra_scopes: ['offline_access'],
    authorization_parameters: { prompt: 'consent' },
  })
  expect([200, 201], JSON.stringify(put.body)).toContain(put.status)

  const tools = [
    tool('Mail.GetEmails', 'mail.read', { method: 'GET', url: `${api.origin}/emails` }),
    tool('Mail.Send', 'mail.send', { method: 'POST', url: `${api.origin}/send` }),
    tool('Mail.Echo', 'mail.read', { method: 'GET', url: `${api.origin}/echo` }),
    {
      definition: MAILBOX,
      implementation: { kind: 'http', method: 'DELETE', url: `${api.origin}/mailbox`, response: { type: 'json' } },
    },
  ]
  for (const each of tools) {
    const { status, body } = await ask('POST', '/tools', each)
    expect([200, 201], JSON.stringify(body)).toContain(status)
  }

  function tool(id: string, scope: string, request: object) {
    return {
      definition: definition(`${id}@1.0.0`, {
        requirements: { authorization: [{ id: 'mail', oauth2: { scopes: [scope] } }], user_id: true },
        input_schema: { type: 'object', properties: {} },
      }),
      implementation: {
        kind: 'http',
        ...request,
        credentials: [{ authorization: 'mail', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
        response: { type: 'json' },
      },
    }
  }
}

/** A tool whose every call a person must approve. Only this dialect has security levels. */
const MAILBOX = {
  id: 'mailbox',
  name: 'Mailbox',
  version: '1.0.0',
  description: 'Looks after a mailbox',
  capabilities: [
    {
      name: 'empty',
      description: 'Deletes every email in a folder',
      parameters: [{ name: 'folder', description: 'Which folder', type: 'string', required: true }],
    },
  ],
  securityLevel: 8,
}
