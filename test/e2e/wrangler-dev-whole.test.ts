import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describing } from '../plugins/describing.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { ADMIN_KEY, type Connected, startWorld, varsOf, type World } from './oauth/switchboard.ts'
import { startVerifier, type Verifier } from './oauth/verifier.ts'
import { connectProcess, recordedTools, wranglerDev } from './wrangler-dev.ts'

const PETS = {
  openapi: '3.0.0',
  info: { title: 'Pets', version: '1.2.0' },
  servers: [{ url: '/api' }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { description: 'A pet' } },
      },
    },
  },
}

let world: World
let upstream: Upstream
let vars: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await startWorld()
  upstream = await startUpstream(({ url }, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(url === '/pets.json' ? PETS : { url }))
  })
  const hosts = varsOf(world)['ALLOW_HTTP_HOSTS']
  vars = { ...varsOf(world), ALLOW_HTTP_HOSTS: `${hosts},${upstream.host}` }
})
afterAll(() => Promise.all([upstream?.close(), world?.close()]))

const admin = { authorization: `Bearer ${ADMIN_KEY}` }

describe('npx wrangler dev', () => {
  let edge: Connected
  let app: Verifier
  beforeAll(async () => {
    app = await startVerifier()
    edge = await wranglerDev(world, { vars: { ...vars, USER_VERIFIER_URL: app.url } })
    app.edge = edge
  }, 240_000)
  afterAll(() => Promise.all([edge?.server.stop(), app?.close()]))

  /** Calls a tool as the administrator, and gives its result. */
  const result = async (tool_id: string, input: object) =>
    (await edge.ask('POST', '/tools/call', { tool_id, input })).body.result

  it('npx wrangler dev runs a tool with the grant of a user who consented, and of no one else, until it is revoked', async () => {
    const { url, check_url } = await edge.challenge('Mail.GetEmails', 'ann')
    const ended = await new HttpPerson().consent(url, 'ann')
    expect(ended.text).toContain('Test Mail')
    expect(await edge.settled(check_url)).toMatchObject({ status: 'completed' })
    const { body } = await edge.call('Mail.GetEmails', 'ann')
    expect(body.result).toMatchObject({ success: true, value: { account: 'ann' } })
    await edge.challenge('Mail.GetEmails', 'bob')
    const grants = await edge.ask('GET', '/users/ann/grants')
    expect(grants).toMatchObject({ status: 200, body: { items: [{ provider: 'mail' }] } })
    expect((await edge.ask('DELETE', '/users/ann/grants/mail')).status).toBe(204)
    await edge.challenge('Mail.GetEmails', 'ann')
  })

  it('npx wrangler dev runs a call once after a person approved it', async () => {
    const { url, check_url } = await edge.challenge('mailbox.empty', 'carl', { folder: 'spam' })
    const who = new HttpPerson()
    // First to the application that knows them, and back to decide
    await who.press(await who.press(await who.open(url), /approve/i), /approve/i)
    expect(await edge.settled(check_url)).toMatchObject({ provider: 'approval', status: 'completed' })
    const { body } = await edge.call('mailbox.empty', 'carl', { input: { folder: 'spam' } })
    expect(body.result).toMatchObject({ success: true, value: { emptied: true } })
    await edge.challenge('mailbox.empty', 'carl', { folder: 'spam' })
  })

  it('npx wrangler dev runs a code tool, which reaches its allowed hosts', async () => {
    const implementation = {
      kind: 'code',
      module: `export default async ({ text }, { fetch }) => (await fetch('${upstream.origin}/code?' + text)).json()`,
      allowed_hosts: [upstream.host],
    }
    const published = await edge.ask('POST', '/tools', { definition: definition('Code.Ask@1.0.0'), implementation })
    expect(published.status, JSON.stringify(published.body)).toBe(201)
    expect(await result('Code.Ask', { text: 'x' })).toMatchObject({ success: true, value: { url: '/code?x' } })
  })

  it('npx wrangler dev runs the tools of an uploaded plugin', async () => {
    const tools = { tools: [{ name: 'greet', description: 'Greets', inputSchema: { type: 'object' } }] }
    const answer = { content: [{ type: 'text', text: 'Grüße' }] }
    const uploaded = await fetch(`${edge.server.url}/toolkits/Box/plugin?version=1.0.0`, {
      method: 'PUT',
      headers: { ...admin, 'content-type': 'application/wasm' },
      body: describing(JSON.stringify(tools), JSON.stringify(answer)),
    })
    expect(uploaded.status, await uploaded.text()).toBe(201)
    expect(await result('Box.greet', {})).toMatchObject({ success: true, value: 'Grüße' })
  })

  it('npx wrangler dev imports a description by its URL, and its operations can be called', async () => {
    const from = { openapi: `${upstream.origin}/pets.json` }
    const imported = await edge.ask('POST', '/toolkits/import', { from, toolkit: 'Pets' })
    expect(imported.status, JSON.stringify(imported.body)).toBe(201)
    expect(await result('Pets.getPet', { id: 7 })).toMatchObject({ success: true, value: { url: '/api/pets/7' } })
  })

  it('npx wrangler dev shows a tool and its calls to a person who signs in to the console', async () => {
    const who = new HttpPerson()
    const page = await who.press(await who.open(`${edge.server.url}/sign-in`), /Sign in/, { key: ADMIN_KEY })
    expect(page.status, page.text).toBe(200)
    expect((await who.open(`${edge.server.url}/console/tools/Mail.GetEmails`)).text).toContain(
      'What Mail.GetEmails does',
    )
    const called = await recordedTools(edge, 2, '?tool=mailbox.empty')
    expect(new Set(called)).toEqual(new Set(['mailbox.empty@1.0.0']))
    expect((await who.open(`${edge.server.url}/console/calls`)).text).toContain('mailbox.empty')
  })

  it('npx wrangler dev counts each call in metrics, and loses no record', async () => {
    const names = ['Box.greet', 'Code.Ask', 'Mail.GetEmails', 'Pets.getPet', 'mailbox.empty']
    for (const name of names) await recordedTools(edge, 1, `?tool=${name}`)
    const metrics = await fetch(`${edge.server.url}/metrics`, { headers: admin })
    const text = await metrics.text()
    expect(metrics.status, text).toBe(200)
    for (const name of names) expect(text).toContain(`"${name.split('.')[0]}`)
    expect(edge.server.printed()).not.toMatch(/records-lost|Cannot open the storage/)
  })
})

/** The tables of each object of a class, as a server left them. */
async function tablesOf(persistTo: string, name: string): Promise<readonly string[][]> {
  const files = await readdir(persistTo, { recursive: true })
  return files
    .filter((file) => file.includes(`-${name}`) && file.endsWith('.sqlite') && !file.endsWith('metadata.sqlite'))
    .map((file) => {
      const database = new DatabaseSync(join(persistTo, file), { readOnly: true })
      const found = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      const tables = found.all().map((row) => String(row['name']))
      database.close()
      return tables
    })
}

describe('a folder where Wrangler created its table in an empty object', () => {
  const folders: string[] = []
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

  it.each([
    ['npx wrangler dev', ['npx', 'wrangler', 'dev']],
    ['npm run dev', ['npm', 'run', '--silent', 'dev', '--']],
  ])(
    'a folder where Wrangler created its table in an empty object is served by %s like any other',
    { timeout: 240_000 },
    async (_, command) => {
      const persistTo = await mkdtemp(join(tmpdir(), 'switchboard-wrangler-'))
      folders.push(persistTo)
      const first = await wranglerDev(world, { vars, persistTo })
      // Reads store nothing of ours
      expect(await first.ask('GET', '/users/dora/grants')).toMatchObject({ status: 200, body: { items: [] } })
      expect(await first.ask('GET', '/calls')).toMatchObject({ status: 200 })
      await first.server.stop({ keep: true })
      expect(await tablesOf(persistTo, 'Vault')).toEqual([['__miniflare_do_name']])

      const again = await connectProcess(world, command, { vars, persistTo })
      try {
        const { url, check_url } = await again.challenge('Mail.GetEmails', 'dora')
        await new HttpPerson().consent(url, 'dora')
        expect(await again.settled(check_url)).toMatchObject({ status: 'completed' })
        expect((await again.call('Mail.GetEmails', 'dora')).body.result).toMatchObject({ success: true })
        await recordedTools(again, 2, '?tool=Mail.GetEmails')
      } finally {
        await again.server.stop({ keep: true })
      }
    },
  )
})
