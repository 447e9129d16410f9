import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from '../attacks/set-up.ts'
import { formats } from '../../src/compose/dialects.ts'
import { compilePlugin } from '../plugins/compile.ts'
import { type ArcadeBinding, convertBinding } from '../runners/http/arcade-binding.ts'
import { INVENTED_BINDINGS } from '../runners/http/invented-bindings.ts'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition, manyDefinitions } from './definition.ts'
import { raw } from './raw.ts'
import { sendLines } from './send-lines.ts'
import { type Server, startServer } from './server.ts'

const SECRET = 'the-value-of-a-secret-0123456789'
const BOX_SECRETS = { BOX_KEY: ['Box.*'] }
const GITHUB = join(
  dirname(createRequire(import.meta.url).resolve('@octokit/openapi/package.json')),
  'generated/api.github.com.json',
)

type Tools = readonly { readonly id: string }[]

let upstream: Upstream
let toolbox: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
  })
  toolbox = await compilePlugin('toolbox')
}, 180_000)
afterAll(() => upstream?.close())

const startOne = () =>
  startServer({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      ALLOW_HTTP_HOSTS: upstream.host,
      TOOL_SECRETS: JSON.stringify(BOX_SECRETS),
      BOX_KEY: SECRET,
    },
  })

async function exportOf(server: Server, query = ''): Promise<string> {
  const { status, text, headers } = await raw(server.url, { path: `/export${query}`, headers: asAdmin })
  expect(status, text.slice(0, 500)).toBe(200)
  expect(headers['content-type']).toBe('application/jsonl')
  return text
}

/** Restores a file. Returns the final report, and the reports of lines. */
async function restore(server: Server, file: string) {
  const { status, told, last } = await sendLines(server.url, file, asAdmin)
  return { status, last, lines: told.filter(({ outcome }) => outcome !== undefined) }
}

const linesOf = (file: string) =>
  file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Checks that two exports are equal except for their time and signature. */
function expectSame(file: string, other: string): void {
  const [mine, others] = [file, other].map((each) => each.replace(/"(?:at|hmac)":"[^"]*"/g, '').split('\n'))
  const differs = mine?.findIndex((line, index) => line !== others?.[index]) ?? 0
  expect(others?.[differs]?.slice(0, 2_000)).toBe(mine?.[differs]?.slice(0, 2_000))
  expect(others?.length).toBe(mine?.length)
}

async function publish(server: Server, documents: readonly unknown[], as: Headers = asAdmin): Promise<void> {
  for (let at = 0; at < documents.length; at += 500) {
    const { body } = await server.json('POST', '/tools?allow=breaking', documents.slice(at, at + 500), as)
    for (const result of body.results) expect(result.status, JSON.stringify(result)).toBeLessThan(300)
  }
}

async function upload(server: Server, toolkit: string, version: string, as: Headers = asAdmin): Promise<void> {
  const path = `/toolkits/${toolkit}/plugin?version=${version}&config=key:BOX_KEY&allowed_hosts=${upstream.host}&security_level=0`
  const headers = { ...as, 'content-type': 'application/wasm' }
  const { status, text } = await raw(server.url, { method: 'PUT', path, headers, body: toolbox })
  expect(status, text).toBe(201)
}

/** Returns the items of a list, page by page. */
async function pagesOf(server: Server, path: string, limit: number): Promise<readonly Tools[]> {
  const pages: Tools[] = []
  let cursor: string | undefined
  do {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const url = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`
    const { status, body } = await server.json('GET', url, undefined, asAdmin)
    expect(status, JSON.stringify(body)).toBe(200)
    pages.push(body.items)
    cursor = body.next_cursor
  } while (cursor !== undefined)
  return pages
}

/** Returns the parts of a response that can distinguish two registries. */
async function answerOf(server: Server, method: string, path: string, body?: object) {
  const answer = await server.json(method, path, body, { ...asAdmin, accept: 'application/json, text/event-stream' })
  const said = ['etag', 'link', 'switchboard-status', 'switchboard-publisher', 'switchboard-trusted']
  return {
    status: answer.status,
    headers: Object.fromEntries(said.map((name) => [name, answer.headers.get(name)])),
    body: answer.body,
  }
}

/** Returns the parts of a response that do not depend on the call's time or id. */
function outcomeOf({ status, body }: { status: number; body: any }) {
  const { success, value, error } = body?.result ?? {}
  return { status, success, value, error, message: body?.message, parameter_errors: body?.parameter_errors }
}

async function expectAlike(one: Server, other: Server, ids: readonly string[], inEveryForm: readonly string[]) {
  for (const [path, limit] of [
    ['/tools', 100],
    ['/tools', 1_000],
    ['/tools?versions=all', 300],
    ['/oxp/tools', 250],
    ['/tools?format=mcp', 400],
    ['/tools?q=send%20a%20message', 20],
  ] as const) {
    const [mine, others] = [await pagesOf(one, path, limit), await pagesOf(other, path, limit)]
    expect(others.map((page) => page.length)).toEqual(mine.map((page) => page.length))
    expect(others, path).toEqual(mine)
  }
  const paths = [
    ...ids.map((id) => `/tools/${encodeURIComponent(id)}`),
    ...inEveryForm.flatMap((id) => [
      ...[...formats.keys()].map((format) => `/tools/${encodeURIComponent(id)}?format=${format}&losses=1`),
      `/tools/${encodeURIComponent(id)}/implementation`,
    ]),
  ]
  for (let at = 0; at < paths.length; at += 20) {
    await Promise.all(
      paths.slice(at, at + 20).map(async (path) => {
        expect(await answerOf(other, 'GET', path), path).toEqual(await answerOf(one, 'GET', path))
      }),
    )
  }
}

const AN_OXP = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  definition: definition(id, more),
  implementation: { kind: 'code', module: 'export default ({ text }) => `got ${text}`' },
})
const machineContext = (id: string, version: string, names: readonly string[], beside: object = {}) => ({
  definition: {
    id,
    name: id,
    version,
    description: 'Does it',
    capabilities: names.map((name) => ({ name, description: `Does ${name}` })),
  },
  implementation: { kind: 'code', module: 'export default (_, { tool, called }) => `${tool} ${called}`' },
  ...beside,
})

describe('the backup of a full registry', () => {
  let one: Server
  let other: Server
  let file: string
  let ids: string[]
  let owner: Awaited<ReturnType<typeof keyOf>>

  beforeAll(async () => {
    one = await startOne()
    owner = await keyOf(one, ['*'])
    await publish(one, [AN_OXP('Own.Echo@1.0.0'), AN_OXP('Own.Find@1.0.0', { name: 'find' })], owner.as)
    await publish(one, [AN_OXP('Own.Echo@1.1.0'), AN_OXP('Own.Echo@2.0.0')], owner.as)
    // Untrusted: its publisher had no key that names it
    await publish(one, [AN_OXP('Planted.Ask@1.0.0', { requirements: { secrets: [{ id: 'LATER' }] } })], owner.as)
    // A name that an administrator gave to another tool, and one that two tools claimed
    await publish(one, [AN_OXP('Late.Find@1.0.0', { name: 'find' }), AN_OXP('Late.Look@1.0.0', { name: 'look' })])
    await one.json('PATCH', '/tools/Late.Find@1.0.0', { name: 'find' }, asAdmin)
    // Documents with ids, one of them in another toolkit, with a tool that a later version leaves out
    await publish(one, [machineContext('unique-id', '1.0.0', ['first', 'second'], { toolkit: 'Placed' })])
    await publish(one, [machineContext('unique-id', '2.0.0', ['first', 'third-one'], { toolkit: 'Placed' })])
    await publish(one, [
      {
        definition: { name: 'plain', description: 'Plain', inputSchema: { type: 'object' } },
        toolkit: 'Mcp',
        version: '1.0.0-beta.1',
      },
    ])
    await upload(one, 'Box', '1.0.0')
    await upload(one, 'Box', '1.1.0')
    for (const [id, status, as] of [
      ['Own.Echo@1.0.0', { status: 'deprecated', message: 'Old', successor: 'Own.Echo@2.0.0' }, owner.as],
      ['Own.Echo@1.1.0', { status: 'yanked' }, owner.as],
      ['Own.Find@1.0.0', { status: 'disabled' }, asAdmin],
      ['Late.Look@1.0.0', { status: 'disabled' }, asAdmin],
      ['Calculator.Subtract', { status: 'disabled' }, asAdmin],
      ['Mcp.plain@1.0.0-beta.1', { trusted: false }, asAdmin],
    ] as const) {
      const { status: answered, body } = await one.json('PATCH', `/tools/${id}`, status, as)
      expect(answered, JSON.stringify(body)).toBe(200)
    }
    await one.json('PUT', '/toolkits/Reserved', { owner: 'jwt:somebody' }, asAdmin)
    file = await exportOf(one)
    ids = linesOf(file).flatMap(({ kind, record }) => (kind === 'version' ? [record.id] : []))
    other = await startOne()
  }, 240_000)
  afterAll(async () => {
    await Promise.all([one?.stop(), other?.stop()])
  })

  it('the backup of a full registry has JSON lines with the documents as published, without secrets or keys', async () => {
    const lines = linesOf(file)
    expect(lines[0]).toMatchObject({ kind: 'archive', format: 2 })
    expect(lines.at(-1)).toEqual({ kind: 'end', lines: lines.length - 1, hmac: expect.any(String) })
    const echo = lines.find(({ record }) => record?.id === 'Own.Echo@1.0.0')
    expect(echo.record.source.document).toEqual(definition('Own.Echo@1.0.0'))
    expect(echo).toMatchObject({ status: { state: 'deprecated' }, publisher: { principal: `key:${owner.id}` } })
    expect(lines.find(({ kind, itself }) => kind === 'document' && itself?.version === '2.0.0')).toMatchObject({
      dialect: 'machine-context',
      document: machineContext('unique-id', '2.0.0', ['first', 'third-one']).definition,
      tools: { 'first': 'first', 'third-one': 'third_one' },
    })
    for (const secret of [SECRET, ADMIN_KEY, owner.as['authorization'] ?? '?']) expect(file).not.toContain(secret)
    // Keys appear only by id, and no other object's storage is included
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(
      new Set(['archive', 'toolkit', 'name', 'document', 'blob', 'version', 'given', 'part', 'end']),
    )
  })

  it('the backup of a full registry restores an empty one to the same state', async () => {
    const { status, last, lines } = await restore(other, file)
    expect(status).toBe(200)
    expect(lines).toEqual([])
    expect(last).toMatchObject({ done: true, refused: 0, skipped: 0, changed: 1, complete: true })
    expectSame(file, await exportOf(other))
    await expectAlike(one, other, ids, ids.filter((id) => !id.startsWith('Box.')).concat('Box.add@1.0.0'))
    for (const toolkit of ['Own', 'Planted', 'Late', 'Placed', 'Mcp', 'Box', 'Reserved', 'Calculator']) {
      const path = `/toolkits/${toolkit}`
      expect(await answerOf(other, 'GET', path)).toEqual(await answerOf(one, 'GET', path))
    }
  })

  it('the backup of a full registry restores one that answers calls as the old one did', async () => {
    const oxp = (tool_id: string, input: object = {}) => [tool_id, { tool_id, input }] as const
    for (const [what, body] of [
      oxp('Own.Echo', { text: 'a' }),
      oxp('Own.Echo', { text: 5 }),
      oxp('Own.Echo@1.0.0', { text: 'a' }),
      oxp('Own.Echo@1.1.0', { text: 'a' }),
      oxp('Own.Echo@^1', { text: 'a' }),
      oxp('Own.Find'),
      oxp('find', { text: 'a' }),
      oxp('Late.Look'),
      oxp('Planted.Ask', { text: 'a' }),
      oxp('Placed.second'),
      oxp('Placed.second@1.0.0'),
      oxp('Placed.third_one'),
      oxp('Box.add', { a: 2, b: 40 }),
      oxp('Box.add@1.0.0', { a: 2, b: 40 }),
      oxp('Calculator.Add', { a: 2, b: 40 }),
      oxp('Calculator.Subtract', { a: 2, b: 40 }),
    ]) {
      const [mine, others] = [one, other].map((server) => server.json('POST', '/tools/call', body, asAdmin))
      expect(outcomeOf(await others!), what).toEqual(outcomeOf(await mine!))
    }
    const header = { version: '1.0', messageType: 'request', timestamp: new Date().toISOString() }
    const payload = { tool: { id: 'unique-id', capability: 'third-one', parameters: {} }, context: {} }
    const answers = await Promise.all(
      [one, other].map((server) =>
        server.json(
          'POST',
          '/machine-context/execute',
          { header: { ...header, messageId: crypto.randomUUID() }, payload },
          asAdmin,
        ),
      ),
    )
    expect(answers[0]?.status).toBe(200)
    expect(answers[1]?.body.payload.result).toEqual(answers[0]?.body.payload.result)
    expect(JSON.stringify(answers[1]?.body)).toContain('third_one third-one')
  })

  it('the backup of a full registry changes nothing if it is restored twice, and the registry works as the old one', async () => {
    const before = await exportOf(other)
    const { last, lines } = await restore(other, file)
    expect(lines).toEqual([])
    expect(last).toMatchObject({ created: 0, changed: 0, refused: 0, skipped: 0, complete: true })
    expectSame(before, await exportOf(other))
    // Published versions never change, and later ones are compared with them
    const taken = await other.json('POST', '/tools', AN_OXP('Own.Echo@2.0.0', { description: 'Another' }), asAdmin)
    expect(taken.status).toBe(409)
    const document = machineContext('unique-id', '2.1.0', ['first'], { toolkit: 'Placed' })
    expect((await other.json('POST', '/tools', document, asAdmin)).status).toBe(422)
    // Reserved toolkits are still reserved, and only an administrator can enable what an administrator disabled
    const stranger = await keyOf(other, ['*'])
    expect((await other.json('POST', '/tools', AN_OXP('Reserved.Tool@1.0.0'), stranger.as)).status).toBe(403)
    const patch = await other.json('PATCH', '/tools/Own.Find@1.0.0', { status: 'active' }, stranger.as)
    expect(patch.status).toBe(403)
  })

  it('the backup of a full registry is trusted if this deployment signed it, and otherwise only if an administrator says so', async () => {
    const own = await sendLines(one.url, file, asAdmin, '')
    expect(own.last).toMatchObject({ done: true, created: 0, changed: 0, refused: 0, complete: true })
    const foreign = await sendLines(other.url, file, asAdmin, '')
    expect(foreign.status).toBe(422)
    expect(JSON.stringify(foreign.told)).toContain('?trust=1')
    // Even if much is left to send when the response is known
    const headers = { ...asAdmin, 'content-type': 'application/jsonl', 'connection': 'close' }
    const large = new Blob([file, '{"kind":"more"}\n'.repeat(120_000)])
    const send = () => fetch(`${other.url}/import`, { method: 'POST', headers, body: large })
    for (let times = 0; times < 30; times += 1) expect((await send()).status).toBe(422)
    const lines = file.split('\n')
    const at = lines.findIndex((line) => line.includes('"Own.Echo@1.0.0"') && line.includes('"version"'))
    const altered = lines.with(
      at,
      (lines[at] ?? '').replace('"trusted":false', '"trusted":true').replace('key:', 'kEy:'),
    )
    const parts = lines.flatMap((line, index) => (line.startsWith('{"kind":"part"') ? index : []))
    const moved = [...lines.slice(0, (parts[0] ?? 0) + 1), ...lines.slice((parts[1] ?? 0) + 1)]
    for (const changed of [altered, moved, lines.slice(0, -2)]) {
      const { status, last, told } = await sendLines(one.url, changed.join('\n'), asAdmin, '')
      expect(status).toBe(200)
      expect(last).toMatchObject({ created: 0, changed: 0, complete: false })
      if (changed.length >= lines.length - 1) expect(told[0]).toMatchObject({ outcome: 'refused' })
    }
  })

  it('the backup of one toolkit can be exported and restored', async () => {
    const box = await exportOf(one, '?toolkit=box')
    const records = linesOf(box).flatMap(({ record }) => (record ? [record] : []))
    expect(new Set(records.map(({ toolkit }) => toolkit))).toEqual(new Set(['Box']))
    expect(linesOf(box).filter(({ kind }) => kind === 'toolkit')).toHaveLength(1)
    const third = await startOne()
    try {
      expect((await restore(third, box)).last).toMatchObject({ refused: 0, complete: true })
      const body = { tool_id: 'Box.add', input: { a: 2, b: 40 } }
      const [mine, others] = [one, third].map((server) => server.json('POST', '/tools/call', body, asAdmin))
      expect(outcomeOf(await others!)).toEqual(outcomeOf(await mine!))
      expect((await pagesOf(third, '/tools?toolkit=Own', 10)).flat()).toEqual([])
    } finally {
      await third.stop()
    }
  })

  it('the backup of a full registry has its policies, which apply before any restored tool can be called', async () => {
    const [first, second] = await Promise.all([startOne(), startOne()])
    const put = (server: Server, pattern: string, body: object) =>
      server.json('PUT', `/policies/${encodeURIComponent(pattern)}`, body, asAdmin)
    const listed = async (server: Server) => (await server.json('GET', '/policies', undefined, asAdmin)).body.items
    try {
      await publish(first, [AN_OXP('Held.Do@1.0.0')])
      const said = { 'Held.*': { approval: true }, '*': { timeout_ms: 9_000 }, 'Mine.*': { secrets: ['LATER'] } }
      for (const [pattern, body] of Object.entries(said)) expect((await put(first, pattern, body)).status).toBe(201)
      const whole = await exportOf(first)
      expect(linesOf(whole).filter(({ kind }) => kind === 'policy')).toHaveLength(3)
      const part = linesOf(await exportOf(first, '?toolkit=Held')).filter(({ kind }) => kind !== 'part')
      expect(part[1]).toEqual({ kind: 'policy', pattern: 'Held.*', policy: { approval: true } })
      expect(part.filter(({ kind }) => kind === 'policy')).toHaveLength(1)
      // Only an administrator of this deployment may change existing policies
      await put(second, '*', { timeout_ms: 1_000 })
      const { last, lines } = await restore(second, whole)
      expect(last).toMatchObject({ complete: true, refused: 1 })
      expect(lines).toMatchObject([{ outcome: 'refused', about: '*' }])
      expect(await listed(second)).toEqual([
        { pattern: '*', timeout_ms: 1_000 },
        { pattern: 'Held.*', approval: true },
        { pattern: 'Mine.*', secrets: ['LATER'] },
      ])
      const { body } = await second.json('GET', '/tools/Held.Do/readiness', undefined, asAdmin)
      expect(body).toMatchObject({ approval: true, security_level: 1 })
      await put(second, '*', said['*'])
      expect((await restore(second, whole)).last).toMatchObject({ complete: true, refused: 0, created: 0, changed: 0 })
      expectSame(await exportOf(second), await exportOf(first))
    } finally {
      await Promise.all([first.stop(), second.stop()])
    }
  })

  it("the backup of a full registry can be saved and restored with the guide's commands", async () => {
    const guide = readFileSync(new URL('../../src/docs/operate.md', import.meta.url), 'utf8')
    const [, section = ''] = guide.split('## Backup and restore')
    const commands = [...section.matchAll(/```sh\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/g)].slice(0, 2)
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-backup-'))
    const third = await startOne()
    try {
      const answers = []
      for (const [index, [, command = '', said = '']] of commands.entries()) {
        const url = [one, third][index]?.url ?? ''
        const { stdout } = await promisify(execFile)(
          'sh',
          ['-ec', command.replaceAll('https://switchboard.<you>.workers.dev', url)],
          { cwd: folder, env: { ...process.env, SWITCHBOARD_KEY: ADMIN_KEY } },
        )
        const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
        expect(Object.keys(last)).toEqual(Object.keys(JSON.parse(said)))
        answers.push(last)
      }
      expect(answers).toMatchObject([{ kind: 'end' }, { done: true, refused: 0, complete: true }])
      expectSame(file, await exportOf(third))
    } finally {
      await third.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('the backup of a full registry is for administrators only', async () => {
    for (const [path, method] of [
      ['/export', 'GET'],
      ['/import', 'POST'],
    ] as const) {
      expect((await raw(one.url, { method, path })).status).toBe(401)
      expect((await raw(one.url, { method, path, headers: owner.as })).status).toBe(403)
    }
  })
})

const CATALOGUES = ['catalogues/oxp-definitions.json', 'catalogues/http-bindings.ndjson']
const areThere = CATALOGUES.every(hasShared)
for (const { name, load, skip } of [
  {
    name: `definitions and bindings in use elsewhere${CATALOGUES.map(unlessShared).find(Boolean) ?? ''}`,
    load: (): { definitions: readonly unknown[]; bindings: readonly ArcadeBinding[] } => ({
      definitions: JSON.parse(readShared(CATALOGUES[0] ?? '')).items,
      bindings: readShared(CATALOGUES[1] ?? '')
        .trim()
        .split('\n')
        .map((line): ArcadeBinding => JSON.parse(line)),
    }),
    skip: !areThere,
  },
  {
    name: `definitions and bindings of our own${areThere ? ' (skipped: those of ../shared are tried)' : ''}`,
    load: () => ({ definitions: manyDefinitions(150), bindings: INVENTED_BINDINGS }),
    skip: areThere,
  },
]) {
  describe.skipIf(skip)(`a registry of ${name}, GitHub and a plugin`, () => {
    let one: Server
    let other: Server

    beforeAll(async () => {
      ;[one, other] = await Promise.all([startOne(), startOne()])
    })
    afterAll(async () => {
      await Promise.all([one?.stop(), other?.stop()])
    })

    it(
      'restores an empty one, and both have the same lists, responses and digests',
      { timeout: 1_200_000 },
      async () => {
        const { definitions, bindings } = load()
        const converted = bindings.map((binding) => convertBinding(binding, { origin: upstream.origin }))
        const bound = new Set(bindings.map(({ tool_id }) => tool_id.split('@')[0]))
        const unbound = definitions.filter((each) => !bound.has(String(Object(each).id).split('@')[0]))
        await publish(one, [...unbound, ...converted])
        await upload(one, 'Box', '1.0.0')
        const openapi = JSON.parse(readFileSync(GITHUB, 'utf8'))
        const imported = await one.json(
          'POST',
          '/toolkits/import',
          { from: { openapi }, toolkit: 'GitHub', base_url: upstream.origin },
          asAdmin,
        )
        expect(imported.status, JSON.stringify(imported.body).slice(0, 1_000)).toBe(201)
        expect(imported.body.ids.length).toBeGreaterThan(1_000)

        const file = await exportOf(one)
        const { last, lines } = await restore(other, file)
        expect(lines).toEqual([])
        expect(last).toMatchObject({ refused: 0, skipped: 0, complete: true })
        expectSame(file, await exportOf(other))
        const ids = linesOf(file).flatMap(({ record }) => (record ? [record.id] : []))
        expect(ids.length).toBeGreaterThan(1_000 + unbound.length)
        await expectAlike(
          one,
          other,
          ids,
          ids.filter((id, index) => id.startsWith('Box.') || index % 25 === 0),
        )
        for (const [tool_id, input] of [
          ['Box.add', { a: 2, b: 40 }],
          ['GitHub.meta_root', {}],
          ['GitHub.repos_get', { owner: 'a', repo: 'b' }],
          ['GitHub.repos_get', {}],
        ] as const) {
          const body = { tool_id, input }
          const [mine, others] = [one, other].map((server) => server.json('POST', '/tools/call', body, asAdmin))
          expect(outcomeOf(await others!), tool_id).toEqual(outcomeOf(await mine!))
        }
        const again = await restore(other, file)
        expect(again.last).toMatchObject({ created: 0, changed: 0, refused: 0, complete: true })
      },
    )
  })
}
