import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { signInVars } from './oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { type RunningServer, startApp } from './server.ts'

/** The URL of another Switchboard, under each of the protocols that it serves, and what a toolkit is called here. */
const PROTOCOLS = [
  ['oxp', '', 'ViaOxp'],
  ['mcp', '/mcp', 'ViaMcp'],
  ['open-tool-calling', '/worker', 'ViaRfc'],
  ['machine-context', '/machine-context', 'ViaMessages'],
  ['plugin', '/plugin', 'ViaPlugin'],
] as const

/** How callers of each dialect call a tool. */
const DIALECTS: Readonly<
  Record<
    string,
    (
      toolkit: string,
      tool: string,
      input: Readonly<Record<string, unknown>>,
    ) => [path: string, body: Readonly<Record<string, unknown>>]
  >
> = {
  'oxp': (toolkit, tool, input) => ['/tools/call', { tool_id: `${toolkit}.${tool}`, input }],
  'mcp': (toolkit, name, args) => [
    `/mcp?toolkits=${toolkit}&tools=${name}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  ],
  'open-tool-calling': (toolkit, name, inputs) => ['/worker/tools/invoke', { tool: { name, toolkit }, inputs }],
  'machine-context': (id, capability, parameters) => [
    '/machine-context/execute',
    {
      header: { messageId: crypto.randomUUID(), messageType: 'request' },
      payload: { tool: { id, capability, parameters } },
    },
  ],
  'plugin': (toolkit, name, args) => [`/plugin/call?toolkit=${toolkit}`, { params: { name, arguments: args } }],
}

const VALUES = JSON.stringify({ a: [1, 'b', null, true], c: '42' })

let world: World
let there: Connected
let busy: Upstream
let here: RunningServer
let authorization: string

beforeAll(async () => {
  world = await startWorld()
  busy = await startUpstream(({ url }, response) => {
    const json = { 'content-type': 'application/json' }
    const value = { '/number': '42', '/values': VALUES }[url ?? '']
    if (value !== undefined) return void response.writeHead(200, json).end(value)
    response.writeHead(429, { ...json, 'retry-after': '2' }).end('{"why":"Out of paper"}')
  })
  // Approvals are for people whom the deployment can tell from the caller
  const signIn = signInVars(world.provider, [{ domain: 'acme.test', toolkits: ['mailbox'] }])
  const hosts = `${world.provider.host},${world.api.host},${busy.host}`
  there = await connect(world, { vars: { ...signIn, ALLOW_HTTP_HOSTS: hosts } })
  await publishThere('Printer.Count', { kind: 'http', method: 'GET', url: `${busy.origin}/number` })
  await publishThere('Printer.Look', { kind: 'http', method: 'GET', url: `${busy.origin}/values` })
  await publishThere('Printer.Print', { kind: 'http', method: 'POST', url: `${busy.origin}/print` })
  // A tool of level 4 wants a key that names its toolkit
  const tools = ['*', 'Mail.*', 'mailbox.*']
  const forAnn = { name: 'ann', scopes: ['tools:read', 'tools:call'], tools, users: ['ann'] }
  const key = await there.ask('POST', '/keys', forAnn)
  const toolkits = PROTOCOLS.map(([, , toolkit]) => `${toolkit}.*`)
  here = await startApp({
    vars: {
      ALLOW_HTTP_HOSTS: new URL(there.server.url).host,
      THERE_KEY: key.body.key,
      TOOL_SECRETS: JSON.stringify({ THERE_KEY: toolkits }),
    },
  })
  const caller = await here.json('POST', '/keys', { name: 'c', scopes: ['tools:call'], tools: toolkits, users: [] })
  authorization = `Bearer ${caller.body.key}`
})
afterAll(() => Promise.all([here?.stop(), there?.server.stop(), busy?.close(), world?.close()]))

async function publishThere(id: string, implementation: object) {
  const published = await there.ask('POST', '/tools', { definition: definition(`${id}@1.0.0`), implementation })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
}

const call = async (dialect: string, toolkit: string, tool: string, input: Readonly<Record<string, unknown>>) => {
  const [path, body] = DIALECTS[dialect]?.(toolkit, tool, input) ?? ['', {}]
  const accept = 'application/json, text/event-stream'
  return here.json('POST', path, body, { accept, authorization })
}

/** Machine Context's documents say levels, so that a person approves such a call here before the other server is asked. */
async function approvedHere(...calling: Parameters<typeof call>) {
  const answer = await call(...calling)
  const [url] = JSON.stringify(answer.body).match(new RegExp(`${here.url}/authorizations/[^"\\\\\\s]+`)) ?? []
  if (url === undefined) return answer
  const ann = new HttpPerson()
  await ann.press(await ann.open(url), /Approve/)
  return call(...calling)
}

/** What differs from call to call, or says by which toolkit it went. */
function comparable(answer: { status: number; body: unknown }): string {
  return (
    JSON.stringify([answer.status, answer.body])
      .replaceAll(/Via[A-Z][a-z]+/g, 'Via')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
      .replaceAll(/\/authorizations\/[\w~.-]+/g, '/authorizations/<id>')
      // The RFC's challenge has an id of its own, and says no provider
      .replaceAll(/(["'])(?:mail|approval|[\w-]{64})\1/g, '$1<authorization>$1')
      // OXP's challenge names no scopes
      .replaceAll('"scopes":["mail.read"]', '"scopes":[]')
      .replaceAll(/"(duration|execution_time_ms)":[\d.]+/g, '"$1":0')
      .replaceAll(/"(timestamp|finished_at)":"[^"]+"/g, '"$1":"<time>"')
  )
}

it.each(PROTOCOLS)('a Switchboard can be imported through %s', async (protocol, path, toolkit) => {
  const from = { [protocol]: there.server.url + path }
  const imported = await here.json('POST', '/toolkits/import', { from, toolkit, credentials: { secret: 'THERE_KEY' } })
  expect(imported.status, JSON.stringify(imported.body)).toBe(201)
  const names = ['Printer_Count', 'Mail_GetEmails', 'mailbox_empty', 'Printer_Look', 'Printer_Print']
  const made = imported.body.ids.map((id: string) => id.replace(/@.*/, '').replace(`${toolkit}.`, ''))
  expect(made).toEqual(expect.arrayContaining(protocol === 'mcp' || protocol === 'plugin' ? [] : names))
})

describe.each(Object.keys(DIALECTS))('called through %s', (dialect) => {
  it.each<[string, string, Readonly<Record<string, unknown>>, RegExp]>([
    ['a number', 'Printer_Count', {}, /42/],
    ['values of all kinds', 'Printer_Look', {}, /42/],
    ['a failure', 'Printer_Print', {}, /429/],
    ['a consent', 'Mail_GetEmails', {}, /authorizations\/<id>/],
    ['an approval', 'mailbox_empty', { folder: 'inbox' }, /authorizations\/<id>/],
  ])(`called through ${dialect}, %s is the same from all five protocols`, async (_, tool, input, said) => {
    const answers: Record<string, string> = {}
    for (const [protocol, , toolkit] of PROTOCOLS) {
      answers[protocol] = comparable(await approvedHere(dialect, toolkit, tool, input))
    }
    const [first = ''] = Object.values(answers)
    expect(first).toMatch(said)
    expect(answers).toEqual(Object.fromEntries(PROTOCOLS.map(([protocol]) => [protocol, first])))
  })
})
