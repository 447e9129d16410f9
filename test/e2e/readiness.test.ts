import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommandLine } from './command-line.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { definition } from './definition.ts'

const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let world: World
let edge: Connected
let agent: { authorization: string }
beforeAll(async () => {
  world = await startWorld()
  const { provider, api } = world
  const vars = {
    TOOL_SECRETS: '{"NEEDED_KEY": ["Mail.*"]}',
    ALLOW_HTTP_HOSTS: `${provider.host},${api.host},127.0.0.1:1`,
  }
  edge = await connect(world, { vars })
  agent = { authorization: `Bearer ${await edge.keyFor('any')}` }
  const tool = (id: string, requirements: object, url: string, more: object = {}) =>
    edge.ask('POST', '/tools', {
      definition: definition(`${id}@1.0.0`, { requirements, input_schema: { type: 'object', properties: {} } }),
      implementation: { kind: 'http', method: 'GET', url, response: { type: 'json' }, retry: { attempts: 0 }, ...more },
    })
  const published = [
    await tool('Mail.Secret', { secrets: [{ id: 'NEEDED_KEY' }], user_id: true }, `${world.api.origin}/echo`),
    await tool('Mail.Silent', {}, 'http://127.0.0.1:1/'),
    await tool('Other.Hidden', {}, `${world.api.origin}/echo`),
  ]
  expect(published.map(({ status }) => status)).toEqual([201, 201, 201])
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))

const ready = async (tool: string, query = '', headers: Record<string, string> = agent) =>
  edge.ask('GET', `/tools/${tool}/readiness${query}`, undefined, headers)

/** Calls a host that does not answer as often as it takes to pause calls to it, for some seconds. */
async function callUntilPaused() {
  for (let call = 0; call < 5; call++)
    await edge.ask('POST', '/tools/call', { tool_id: 'Mail.Silent', input: {} }, agent)
}

/** What `describe_tool` says of a tool's readiness. */
async function described(name: string, user?: string) {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'describe_tool', arguments: { name } },
  }
  const headers = { ...agent, 'accept': 'application/json', ...(user === undefined ? {} : { 'x-user-id': user }) }
  const { body } = await edge.ask('POST', '/mcp?mode=search', message, headers)
  const { isError, content } = body.result
  return isError ? body.result : JSON.parse(content[0].text)._meta['dev.switchboard/readiness']
}

it("a tool that needs a user's consent is not ready, without asking the user; then has their open link; then is ready", async () => {
  const grant = { id: 'mail', scopes: ['mail.read'], status: 'not_started' }
  const problems = [
    {
      type: 'requirements-missing',
      needs: 'person',
      message: expect.any(String),
      developer_message: expect.stringContaining("connect 'mail'"),
    },
  ]
  const first = await ready('Mail.GetEmails', '?user_id=zoe')
  expect(first).toMatchObject({
    status: 200,
    body: { tool: 'Mail.GetEmails@1.0.0', ready: false, status: { state: 'active' }, user_id: 'zoe', problems },
  })
  expect(first.body.missing_requirements).toEqual({ authorization: [grant] })
  expect(first.headers.get('cache-control')).toBe('no-store')
  // Nothing came of looking
  expect((await ready('Mail.GetEmails', '?user_id=zoe')).body).toEqual(first.body)
  expect(await described('Mail_GetEmails', 'zoe')).toEqual(first.body)

  const { url, check_url } = await edge.challenge('Mail.GetEmails', 'zoe')
  const asked = await ready('Mail.GetEmails', '?user_id=zoe')
  expect(asked.body.missing_requirements).toEqual({ authorization: [{ ...grant, url, check_url }] })

  await new HttpPerson().consent(url, 'zoe')
  expect((await ready('Mail.GetEmails', '?user_id=zoe')).body).toMatchObject({
    ready: true,
    problems: [],
    upstreams: [{ state: 'closed' }],
  })
  expect(await described('Mail_GetEmails', 'zoe')).toMatchObject({ ready: true })
  expect((await edge.call('Mail.GetEmails', 'zoe')).body.result.success).toBe(true)
  expect((await ready('Mail.Send', '?user_id=zoe')).body).toMatchObject({ ready: false })
})

it("a tool that needs a user's consent is not refreshed by a readiness request", async () => {
  world.provider.accessTokensEnd = true
  const { url } = await edge.challenge('Mail.GetEmails', 'yan')
  await new HttpPerson().consent(url, 'yan')
  world.provider.accessTokensEnd = false
  const before = world.provider.tokenRequests['refresh_token'] ?? 0
  expect((await ready('Mail.GetEmails', '?user_id=yan')).body).toMatchObject({ ready: true })
  expect(world.provider.tokenRequests['refresh_token'] ?? 0).toBe(before)
})

it("a tool that needs a user's consent says that a call must name a user, and reveals nothing about others' users", async () => {
  const nobody = await ready('Mail.GetEmails')
  expect(nobody.body).toMatchObject({ ready: false, missing_requirements: { user_id: true } })
  const own = { authorization: `Bearer ${await edge.keyFor(['ann'])}` }
  expect((await ready('Mail.GetEmails', '', own)).body.user_id).toBe('ann')
  expect((await ready('Mail.GetEmails', '?user_id=zoe', own)).status).toBe(403)
  const reader = { authorization: `Bearer ${await edge.keyFor('any', ['tools:read'])}` }
  const told = (await ready('Mail.GetEmails', '?user_id=zoe', reader)).body
  expect(told).toEqual({
    tool: 'Mail.GetEmails@1.0.0',
    ready: false,
    status: { state: 'active' },
    security_level: 4,
    user_id: 'zoe',
    problems: [{ type: 'forbidden', needs: 'administrator', message: "This needs the scope 'tools:call'" }],
  })
})

it('a tool that is not ready lacks a secret, and agents are told that the operator must set it', async () => {
  const told = (await ready('Mail.Secret', '?user_id=zoe')).body
  expect(told).toMatchObject({ ready: false, missing_requirements: { secrets: [{ id: 'NEEDED_KEY' }] } })
  expect(told.problems[0].developer_message).toBe(
    "An administrator must set the secret 'NEEDED_KEY' and allow it for the tool",
  )
  expect((await ready('Mail.Secret', '?user_id=zoe', ADMIN)).body.problems[0].developer_message).toContain(
    'wrangler secret put',
  )
})

it('a tool that is not ready needs a person’s approval, which no one can give to an administrator here', async () => {
  expect((await ready('mailbox.empty', '?user_id=zoe')).body).toMatchObject({
    ready: false,
    problems: [{ type: 'approval-required' }],
  })
  const why =
    /security level 8, and nobody here can be told from the caller: an administrator must set 'SIGN_IN_ISSUER'/
  expect((await ready('mailbox.empty', '?user_id=zoe', ADMIN)).body).toMatchObject({
    ready: false,
    problems: [{ type: 'forbidden', message: expect.stringMatching(why) }],
  })
})

it('a tool that is not ready calls a host that does not respond', async () => {
  expect((await ready('Mail.Silent')).body).toMatchObject({
    ready: true,
    upstreams: [{ host: '127.0.0.1:1', state: 'closed' }],
  })
  await callUntilPaused()
  const told = (await ready('Mail.Silent')).body
  expect(told.upstreams).toEqual([{ host: '127.0.0.1:1', state: 'open', retry_after_ms: expect.any(Number) }])
  expect(told).toMatchObject({ ready: false, problems: [{ type: 'tool-failed' }] })
})

it('a tool that is not ready can never reach its server, with the same message at publication, import and readiness', async () => {
  const said = 'It cannot run: requests to \'http://HOSTNAME\' (wanted "https:", got "http:") are refused'
  const implementation = { kind: 'http', method: 'GET', url: 'http://HOSTNAME/x', response: { type: 'json' } }
  const published = await edge.ask('POST', '/tools', { definition: definition('Never.Asks@1.0.0'), implementation })
  expect(published).toMatchObject({
    status: 201,
    body: { warnings: [{ path: '/implementation', message: expect.stringContaining(said) }] },
  })
  const paths = { '/x': { get: { operationId: 'x' } } }
  const description = {
    openapi: '3.0.0',
    info: { title: 'N', version: '1.0.0' },
    servers: [{ url: 'http://HOSTNAME' }],
    paths,
  }
  const body = { toolkit: 'Nowhere', from: { openapi: description } }
  const plan = await edge.ask('POST', '/toolkits/import?dry_run=1', body)
  const warnings = [{ message: expect.stringContaining(said), tools: 1, ids: ['Nowhere.x@1.0.0'] }]
  expect(plan.body.warnings).toEqual(warnings)
  const imported = await edge.ask('POST', '/toolkits/import', body)
  expect(imported.body.warnings).toEqual(warnings)
  for (const tool of ['Never.Asks', 'Nowhere.x']) {
    const { body: told } = await ready(tool, '', ADMIN)
    expect(told).toMatchObject({ ready: false, problems: [{ type: 'tool-not-executable' }] })
    expect(told.problems[0].developer_message).toContain(said)
  }
})

it('a tool that is not ready is disabled', async () => {
  expect((await edge.ask('PATCH', '/tools/Mail.Echo@1.0.0', { status: 'disabled' })).status).toBe(200)
  expect((await ready('Mail.Echo@1.0.0', '?user_id=zoe')).body).toMatchObject({
    ready: false,
    status: { state: 'disabled' },
    problems: [{ type: 'tool-disabled' }],
  })
})

it('a tool that the caller may not see gets the same response as a missing one, byte for byte', async () => {
  const [hidden, none] = await Promise.all([ready('Other.Hidden'), ready('Other.Nothing')])
  expect([hidden.status, none.status]).toEqual([404, 404])
  expect(JSON.stringify(hidden.body).replaceAll('Hidden', 'Nothing')).toBe(JSON.stringify(none.body))
  expect((await edge.ask('GET', '/tools/Other.Hidden/readiness', undefined, {})).status).toBe(401)
  expect((await ready('Other.Hidden', `?user_id=${'x'.repeat(257)}`)).status).toBe(400)
  expect(JSON.stringify(await described('Other_Hidden')).replaceAll('Hidden', 'Nothing')).toBe(
    JSON.stringify(await described('Other_Nothing')),
  )
})

it('GET /health reports that storage responds, and nothing more', async () => {
  const { status, body } = await edge.ask('GET', '/health', undefined, {})
  expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } })
})

describe('the readiness of several tools', () => {
  const report = (tools: readonly string[], user_id = 'zoe', headers: Record<string, string> = agent) =>
    edge.ask('POST', '/readiness', { tools, user_id }, headers)

  it('the readiness of several tools is listed in order, with who must act first', async () => {
    const tools = ['Mail.Secret', 'mailbox.empty', 'Mail.GetEmails', 'Mail.Secret']
    const { status, body, headers } = await report(tools)
    expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 200, cache: 'no-store' })
    const single = await Promise.all(tools.map(async (tool) => (await ready(tool, '?user_id=zoe')).body))
    expect(body).toEqual({ ready: false, needs: 'administrator', items: single })
    expect((await report(['mailbox.empty'])).body).toMatchObject({ ready: false, needs: 'person' })
    const { body: well } = await report(['Mail.GetEmails'])
    expect(well).toEqual({ ready: true, items: [single[2]] })
  })

  it('the readiness of several tools is the same for a tool that the key does not cover and for a missing one', async () => {
    const { body } = await report(['Other.Hidden', 'Other.Absent'])
    expect(body).toEqual({
      ready: false,
      needs: 'administrator',
      items: ['Other.Hidden', 'Other.Absent'].map((tool) => ({
        tool,
        ready: false,
        problems: [{ type: 'not-found', needs: 'administrator', message: `Tool '${tool}' was not found` }],
      })),
    })
  })

  it('the readiness of several tools is refused for another caller’s user, for no tools, and for more than 100', async () => {
    const own = { authorization: `Bearer ${await edge.keyFor(['ann'])}` }
    expect((await report(['Mail.Secret'], 'zoe', own)).status).toBe(403)
    for (const tools of [[], [''], Array(101).fill('Mail.Secret')]) expect((await report(tools)).status).toBe(400)
    expect((await report(Array(100).fill('Mail.GetEmails'))).body.items).toHaveLength(100)
    expect((await edge.ask('POST', '/readiness', { tools: ['Mail.Secret'], user: 'zoe' }, agent)).status).toBe(400)
    expect((await edge.ask('POST', '/readiness', { tools: ['Mail.Secret'] }, {})).status).toBe(401)
  })

  it('switchboard preflight reports who must act, and exits with their code', async () => {
    const cli = buildCommandLine({
      SWITCHBOARD_URL: edge.server.url,
      // The caller whose calls found that a host does not answer
      SWITCHBOARD_KEY: agent.authorization.slice('Bearer '.length),
      CI: 'true',
    })
    try {
      const run = (...args: string[]) => cli.run(['preflight', ...args, '--user', 'zoe'])
      expect(await run('Mail.GetEmails')).toMatchObject({ code: 0, stdout: '✓ Mail.GetEmails@1.0.0\n' })
      const person = await run('Mail.GetEmails', 'mailbox.empty')
      expect(person).toMatchObject({ code: 10, stderr: expect.stringContaining('1 of 2 tools cannot be called now') })
      expect(person.stdout).toMatch(/✗ mailbox\.empty@1\.0\.0\n {2}needs a person: /)
      // A pause may be over before the command line has started
      const runWhilePaused = async () => {
        await callUntilPaused()
        return run('Mail.Silent')
      }
      await expect.poll(runWhilePaused, { timeout: 90_000, interval: 100 }).toMatchObject({
        code: 12,
        stdout: expect.stringContaining("needs an answer from its API: '127.0.0.1:1' does not answer"),
      })
      expect(await run('Mail.Silent', 'mailbox.empty', 'Mail.Absent')).toMatchObject({
        code: 11,
        stdout: expect.stringContaining("needs an administrator: Tool 'Mail.Absent' was not found"),
      })
      const toolkit = await run('--toolkit', 'mailbox', '--json')
      expect(toolkit).toMatchObject({ code: 10, json: { ready: false, items: [{ tool: 'mailbox.empty@1.0.0' }] } })
      expect(await run('--toolkit', 'Nothing')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('There is no tool to check'),
      })
    } finally {
      cli.remove()
    }
  })
})
