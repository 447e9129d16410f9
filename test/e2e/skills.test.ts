import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { suite } from '../conformance/run.ts'
import { startUpstream } from '../upstream.ts'
import { buildCommandLine } from './command-line.ts'
import { definition } from './definition.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]).toString('base64')

const NOT_READ = 'Its files are not listed, are too many or too large, or do not match the list of its server'

const manifest = (name: string, text = 'Do it.', more = '') =>
  `---\nname: ${name}\ndescription: "How to ${name}: in steps"\n${more}---\n\n# ${name}\n\n${text}\n`
const files = (name: string, text?: string, more?: string) => ({
  'SKILL.md': manifest(name, text, more),
  'scripts/run.sh': '#!/bin/sh\necho "ü"\n',
  'assets/logo.png': { base64: PNG },
})

let server: RunningServer
let ann: Record<string, string>
let bob: Record<string, string>
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const scopes = ['tools:read', 'tools:call', 'tools:publish']
  const newKey = async (name: string, tools: readonly string[]) => {
    const { body } = await send('POST', '/keys', { name, scopes, tools })
    return { authorization: `Bearer ${body.key}` }
  }
  ann = await newKey('ann', ['Mail.*'])
  bob = await newKey('bob', ['Bobs.*', 'Mail.Send'])
  const implementation = { kind: 'code', module: 'export default () => 1' }
  for (const id of ['Mail.Send@1.0.0', 'Bobs.Own@1.0.0'])
    expect((await send('POST', '/tools', { definition: definition(id), implementation })).status).toBe(201)
})
afterAll(() => server?.stop())

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = ADMIN) =>
  server.json(method, path, body, headers)
const put = (name: string, body: unknown, headers = ann, toolkit = 'Mail') =>
  send('PUT', `/toolkits/${toolkit}/skills/${name}`, { files: body }, headers)

async function withClient<T>(headers: Record<string, string>, use: (client: Client) => Promise<T>, query = '') {
  const client = new Client({ name: 'skills', version: '1' })
  const url = new URL(`${server.url}/mcp${query}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return use(client).finally(() => client.close())
}
const listed = async (headers = ann, query = '') =>
  withClient(headers, async (client) => (await new SkillsClient(client).list()).skills.map(({ uri }) => uri), query)

it('is published, and read by the official client, which verifies every digest', async () => {
  const created = await put('send-mail', files('send-mail', 'Be kind.', 'license: MIT\nmetadata:\n  author: "ann"\n'))
  expect(created.body).toMatchObject({ toolkit: 'Mail', name: 'send-mail', version: 1, status: 'active' })
  expect(created.status).toBe(201)
  await withClient(bob, async (client) => {
    const skills = new SkillsClient(client)
    expect(skills.supported).toBe(true)
    const { skills: entries, invalid } = await skills.list()
    expect(invalid ?? []).toEqual([])
    const [entry] = entries
    expect(entry).toMatchObject({
      uri: 'skill://mail/send-mail/SKILL.md',
      frontmatter: { name: 'send-mail', license: 'MIT', metadata: { author: 'ann' } },
    })
    expect(await skills.get(entry!.uri)).toMatchObject({ skill: entry })
    const text = await skills.read(entry!)
    expect(JSON.stringify(text)).toContain('Be kind.')
    for (const path of ['scripts/run.sh', 'assets/logo.png'])
      expect(JSON.stringify(await skills.read(entry!, path))).toBeTruthy()
    const { contents } = await client.readResource({ uri: 'skill://mail/send-mail/assets/logo.png' })
    expect(contents).toEqual([{ uri: 'skill://mail/send-mail/assets/logo.png', blob: PNG }])
  })
})

it('has versions that never change', async () => {
  expect((await put('versions', files('versions'))).status).toBe(201)
  expect((await put('versions', files('versions'))).status).toBe(200)
  expect((await put('versions', files('versions', 'Better.'))).body.version).toBe(2)
  const newest = await send('GET', '/toolkits/Mail/skills/versions', undefined, bob)
  expect(newest.body).toMatchObject({ version: 2, files: files('versions', 'Better.') })
  const first = await send('GET', '/toolkits/mail/skills/versions?version=1', undefined, bob)
  expect(first.body).toMatchObject({ toolkit: 'Mail', version: 1, files: files('versions') })
  const disable = { version: 2, status: 'disabled' }
  expect((await send('PATCH', '/toolkits/Mail/skills/versions', disable, ann)).status).toBe(204)
  expect((await send('GET', '/toolkits/Mail/skills/versions', undefined, bob)).body.version).toBe(1)
  expect((await send('GET', '/toolkits/Mail/skills/versions?version=2', undefined, bob)).status).toBe(404)
  expect((await send('GET', '/toolkits/Mail/skills/versions?version=2', undefined, ann)).status).toBe(200)
})

it('is read with unchanged line endings', async () => {
  const text = manifest('windows').replaceAll('\n', '\r\n')
  expect((await put('windows', { 'SKILL.md': text })).body.frontmatter.description).toBe('How to windows: in steps')
  expect((await send('GET', '/toolkits/Mail/skills/windows')).body.files['SKILL.md']).toBe(text)
})

it('is listed in pages, once each', async () => {
  const names = Array.from({ length: 45 }, (_, at) => `z-${at + 10}`)
  for (const name of names) await put(name, files(name))
  const found: string[] = []
  let next: string | undefined
  do {
    const { body } = await send('GET', `/skills?toolkit=Mail${next === undefined ? '' : `&cursor=${next}`}`)
    expect(body.items.length).toBeLessThanOrEqual(20)
    found.push(...body.items.map(({ name }: { name: string }) => name))
    next = body.next_cursor
  } while (next !== undefined)
  expect(found.filter((name) => name.startsWith('z-'))).toEqual(names)
  const uris = await listed()
  expect(uris.filter((uri) => uri.includes('/z-'))).toEqual(names.map((name) => `skill://mail/${name}/SKILL.md`))
})

it('is locked to its version at that time, the only one visible under the lock', async () => {
  await put('locked', files('locked', 'First.'))
  await send('PUT', '/toolsets/mail', { title: 'M', tools: [{ tool: 'Mail.*' }] })
  const cli = buildCommandLine({ SWITCHBOARD_URL: server.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  try {
    const { stdout } = await cli.run(['lock', '--toolset', 'mail'])
    const lock = JSON.parse(stdout)
    const uri = 'skill://mail/locked/SKILL.md'
    const { body: skill } = await send('GET', '/toolkits/Mail/skills/locked')
    expect(lock.skills[uri]).toEqual({ id: 'Mail.locked@1', digest: skill.digest })
    const narrow = async (skills: unknown) => {
      const { hash } = (await send('PUT', '/locks', { ...lock, skills })).body
      const { body } = await send('POST', '/keys', { name: 'l', scopes: ['tools:read', 'tools:call'], lock: hash })
      return { hash, key: { authorization: `Bearer ${body.key}` } }
    }
    const { hash, key } = await narrow(lock.skills)
    await put('locked', files('locked', 'Second.'))
    await put('later', files('later'))
    expect(await listed(key)).toEqual(Object.keys(lock.skills))
    expect(await listed(ADMIN, `?lock=${hash}`)).toEqual(Object.keys(lock.skills))
    const path = '/toolkits/Mail/skills/locked'
    expect((await send('GET', path, undefined, key)).body.files).toEqual(files('locked', 'First.'))
    await withClient(key, async (client) =>
      expect(JSON.stringify(await client.readResource({ uri }))).toContain('First.'),
    )
    for (const hidden of [`${path}?version=2`, '/toolkits/Mail/skills/later'])
      expect((await send('GET', hidden, undefined, key)).status).toBe(404)
    const check = ['lock', '--toolset', 'mail', '--check', '-']
    expect(await cli.run(check, { stdin: stdout })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`~ ${uri}  Mail.locked@1 → Mail.locked@2`),
    })
    const bound = key.authorization.replace('Bearer ', '')
    for (const credential of [ADMIN_KEY, bound])
      expect(await cli.run(['preflight', '--lock', '-', '--key', credential], { stdin: stdout })).toMatchObject({
        code: 0,
      })
    const forged = { [uri]: { id: 'Mail.locked@2', digest: skill.digest } }
    for (const skills of [undefined, {}, forged]) expect(await listed((await narrow(skills)).key)).toEqual([])
    expect(
      (await send('PUT', '/locks', { ...lock, skills: { [uri]: { ...forged[uri], id: 'Mail.locked@x' } } })).status,
    ).toBe(400)
    const tool = { [Object.keys(lock.tools)[0] ?? '']: forged[uri] }
    expect((await send('PUT', '/locks', { ...lock, skills: tool })).status).toBe(400)
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`skill://mail/${at}/SKILL.md`, forged[uri]]),
    )
    expect((await send('POST', '/readiness', { lock: { ...lock, skills: many } })).status).toBe(200)
    await send('PATCH', path, { version: 1, status: 'disabled' })
    expect(await listed(key)).not.toContain(uri)
  } finally {
    cli.remove()
  }
})

it('is listed in llms.txt for readers who may see it', async () => {
  await put('told', files('told'))
  const read = async (headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}/llms.txt`, { headers })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('vary')).toContain('Authorization')
    return { text: await answer.text(), caching: answer.headers.get('cache-control') }
  }
  const link = `[told](${server.url}/toolkits/Mail/skills/told): How to told: in steps`
  const bobs = await read(bob)
  expect(bobs.text).toContain(`\n\n## Skills\n\n- `)
  expect(bobs).toMatchObject({ text: expect.stringContaining(link), caching: 'no-store' })
  const { body } = await send('POST', '/keys', { name: 'c', scopes: ['tools:call'], tools: ['Mail.*'] })
  const strangers = [{}, { authorization: 'Bearer sb_nobody' }, { authorization: `Bearer ${body.key}` }]
  for (const stranger of strangers) expect((await read(stranger)).text).not.toContain('## Skills')
})

it('is found by a toolkit name with dashes, as published', async () => {
  expect((await put('dashed', files('dashed'), ADMIN, 'my-kit')).body.toolkit).toBe('my_kit')
  expect((await send('GET', '/toolkits/my-kit/skills/dashed')).status).toBe(200)
  const disable = { version: 1, status: 'disabled' }
  expect((await send('PATCH', '/toolkits/my-kit/skills/dashed', disable)).status).toBe(204)
  const { body } = await send('GET', '/skills?toolkit=my-kit&status=disabled')
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['dashed'])
})

it('is visible only to callers who see a tool of its toolkit', async () => {
  await put('bobs-way', files('bobs-way'), bob, 'Bobs')
  expect((await put('mine', files('mine'), bob)).status).toBe(403)
  expect((await put('mine', files('mine'), ann, 'Bobs')).status).toBe(403)
  expect(await listed(bob)).toContain('skill://bobs/bobs-way/SKILL.md')
  expect(await listed(bob, '?toolkits=Mail')).not.toContain('skill://bobs/bobs-way/SKILL.md')
  expect(await listed(ann)).not.toContain('skill://bobs/bobs-way/SKILL.md')
  expect((await send('GET', '/toolkits/Bobs/skills/bobs-way', undefined, ann)).status).toBe(404)
  expect((await send('PATCH', '/toolkits/Bobs/skills/bobs-way', { version: 1, status: 'disabled' }, ann)).status).toBe(
    404,
  )
  const hidden = 'skill://bobs/bobs-way/SKILL.md'
  await withClient(ann, async (client) => {
    await expect(new SkillsClient(client).get(hidden)).rejects.toMatchObject({ code: -32602 })
    await expect(client.readResource({ uri: hidden })).rejects.toThrow('There is no resource')
    for (const uri of [
      'skill://mail/send-mail/../../bobs/bobs-way/SKILL.md',
      'skill://mail/send-mail/x".y',
      'skill://mail',
    ])
      await expect(client.readResource({ uri })).rejects.toThrow('There is no resource')
  })
  await send('PUT', '/toolsets/bobs', { title: 'B', tools: [{ tool: 'Bobs.*' }] })
  expect(await listed(ADMIN, '?toolset=bobs')).toEqual([hidden])
})

it('waits for review in a reviewed toolkit, and its publisher cannot activate it', async () => {
  await send('PATCH', '/toolkits/Mail', { review: true })
  const pending = await put('reviewed', files('reviewed'))
  expect(pending.body).toMatchObject({ version: 1, status: 'pending' })
  expect(await listed(bob)).not.toContain('skill://mail/reviewed/SKILL.md')
  expect((await send('GET', '/toolkits/Mail/skills/reviewed?version=1', undefined, bob)).status).toBe(404)
  const path = '/toolkits/Mail/skills/reviewed'
  const own = await send('GET', '/skills?status=pending', undefined, ann)
  expect(own.body.items.map(({ name }: { name: string }) => name)).toEqual(['reviewed'])
  expect((await send('GET', '/skills?status=pending', undefined, bob)).body.items).toEqual([])
  for (const status of ['active', 'disabled', 'active'])
    expect((await send('PATCH', path, { version: 1, status }, ann)).status).toBe(403)
  expect((await send('PATCH', path, { version: 1, status: 'disabled' })).status).toBe(204)
  expect((await send('PATCH', path, { version: 1, status: 'active' }, ann)).status).toBe(403)
  expect((await put('reviewed', files('reviewed', 'Again.'))).status).toBe(403)
  expect((await send('PATCH', path, { version: 1, status: 'active' })).status).toBe(204)
  expect(await listed(bob)).toContain('skill://mail/reviewed/SKILL.md')
  await send('PATCH', '/toolkits/Mail', { review: false })
})

it.each([
  '../SKILL.md',
  '/etc/passwd',
  'a/../../b',
  'a//b',
  './a',
  'a/.',
  '..',
  '...',
  'a/..',
  '..\\a',
  'C:\\a',
  'a\0b',
  '%2e%2e/a',
  '%252e%252e/a',
  'a/\u2024\u2024/b',
  'a/b.',
  'a b',
  '',
  'a/',
  `${'a/'.repeat(20)}b`,
  'x'.repeat(201),
])('is refused with a file at %j', async (path) => {
  const refused = await put('climbing', { ...files('climbing'), [path]: 'x' })
  expect(refused.status, JSON.stringify(refused.body)).toBe(422)
  expect(JSON.stringify(refused.body)).toContain('Must be a relative path')
})

const deep = Array.from(
  { length: 20 },
  (_, at) => `a${at}: &a${at} ${'['.repeat(100)}${at === 0 ? 'x' : `*a${at - 1}`}${']'.repeat(100)}\n`,
).join('')
const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((each, at) => `${each}: &${each} [${Array(10).fill(`*${'abcdefgh'[at]}`)}]\n`).join('')}`

it.each<readonly [string, Record<string, unknown>, string]>([
  ['two files that differ in case only', { 'a.md': '', 'A.md': '' }, 'Conflicts with another file'],
  ['a file that is a folder too', { a: '', 'A/b': '' }, 'Conflicts with another file'],
  ['a second manifest', { 'skill.md': '' }, 'Conflicts with another file'],
  ['no Base64', { a: { base64: '*' } }, 'Must be Base64'],
  ['more than a mebibyte', { a: 'x'.repeat(1024 * 1024) }, 'Must be at most 1048576 bytes in total'],
  ['a text that escapes make long', { a: '"'.repeat(1_000_000) }, 'Must be at most 1900000 bytes as stored'],
  ['too many files', Object.fromEntries(Array.from({ length: 513 }, (_, at) => [`f${at}`, ''])), 'at most 512'],
  ['a YAML bomb', { 'SKILL.md': manifest('odd', '', bomb) }, 'Must have at most 100000 values'],
  [
    'aliases of a long text',
    {
      'SKILL.md': manifest(
        'odd',
        '',
        `x: &a "${'x'.repeat(14_000)}"\ny: &b [${Array(200).fill('*a')}]\nz: [${Array(200).fill('*b')}]\n`,
      ),
    },
    'Its YAML expands to too much data',
  ],
  ['aliases that nest deep', { 'SKILL.md': manifest('odd', '', deep) }, 'Must not nest deeper than 136 levels'],
  ['aliases that stand for much', { 'SKILL.md': manifest('odd', '', bomb.slice(0, 200)) }, 'SKILL.md'],
  ['another name', { 'SKILL.md': manifest('other') }, "Must be 'odd'"],
  ['no frontmatter', { 'SKILL.md': '# Skill' }, 'Must be text that begins with YAML'],
  ['no text', { 'SKILL.md': { base64: PNG } }, 'Must be text that begins with YAML'],
  ['a list', { 'SKILL.md': '---\n- a\n---\n' }, 'object'],
  [
    'reserved keys',
    { 'SKILL.md': manifest('odd', '', 'metadata:\n  io.modelcontextprotocol/x: "y"\n') },
    'is reserved for MCP',
  ],
  ['a reserved key', { 'SKILL.md': manifest('odd', '', 'io.modelcontextprotocol/x: 1\n') }, 'is reserved for MCP'],
  ['a key that is a prototype', { 'SKILL.md': manifest('odd', '', '__proto__: {a: 1}\n') }, '__proto__'],
  [
    'a long description',
    { 'SKILL.md': `---\nname: odd\ndescription: ${'x'.repeat(1_025)}\n---\n` },
    '/files/SKILL.md/description',
  ],
  [
    'long YAML',
    { 'SKILL.md': manifest('odd', '', `x: ${'y'.repeat(20_000)}\n`) },
    'must have at most 16384 characters',
  ],
])('is refused with %s', async (_, odd, message) => {
  const refused = await put('odd', { ...files('odd'), ...odd })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain(message)
})

it.each(['Upper', 'a--b', '-a', 'a_b', 'a.b', '..', '%2e%2e', 'x'.repeat(65)])(
  'is refused with the name %s',
  async (name) => {
    expect((await put(name, files(name))).status).toBeGreaterThanOrEqual(400)
  },
)

it('is in a backup, and is deleted with its toolkit', async () => {
  const backup = await (await fetch(`${server.url}/export`, { headers: ADMIN })).text()
  expect(backup).toContain('"kind":"skill"')
  const other = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  try {
    const restore = (text: string) =>
      fetch(`${other.url}/import?trust=1`, {
        method: 'POST',
        headers: { ...ADMIN, 'content-type': 'application/jsonl' },
        body: text,
      }).then((response) => response.text())
    const report = await restore(backup)
    const [mine, theirs] = await Promise.all(
      [server, other].map((each) => each.json('GET', '/toolkits/Mail/skills/versions?version=2', undefined, ADMIN)),
    )
    expect(theirs!.body, report).toEqual(mine!.body)
    expect(await restore(backup)).toContain('"created":0')
    const changed = backup.replaceAll('Be kind.', 'Be rude.')
    expect(await restore(changed)).toContain('The digest must be')
  } finally {
    await other.stop()
  }
  await send('PATCH', '/toolkits/Bobs', { status: 'disabled' })
  expect(await listed(bob)).not.toContain('skill://bobs/bobs-way/SKILL.md')
  expect((await send('DELETE', '/toolkits/Bobs')).status).toBe(200)
  expect((await send('GET', '/toolkits/Bobs/skills/bobs-way', undefined, bob)).status).toBe(404)
  expect((await put('bobs-way', files('bobs-way', 'New.'), ADMIN, 'Bobs')).status).toBe(409)
})

it('is published and listed from the command line, without files outside its folder', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'switchboard-skill-')), 'from-a-folder')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), manifest('from-a-folder'))
  writeFileSync(join(folder, 'assets/logo.png'), Buffer.from(PNG, 'base64'))
  symlinkSync('/etc/passwd', join(folder, 'assets/linked'))
  const cli = buildCommandLine({ SWITCHBOARD_URL: server.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  try {
    const published = await cli.run(['skills', 'publish', folder, '--toolkit', 'Mail'])
    expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('Mail/from-a-folder 1 active') })
    const one = await send('GET', '/toolkits/Mail/skills/from-a-folder')
    expect(one.body.files).toEqual({ 'SKILL.md': manifest('from-a-folder'), 'assets/logo.png': { base64: PNG } })
    expect((await cli.run(['skills'])).stdout).toMatch(/Mail\s+from-a-folder\s+1\s+How to from-a-folder/)
    expect((await cli.run(['skills', 'publish', join(folder, 'none'), '--toolkit', 'Mail'])).code).not.toBe(0)
  } finally {
    cli.remove()
    rmSync(join(folder, '..'), { recursive: true })
  }
})

it('is imported with its server if its files match the digests of the server', async () => {
  const implementation = { kind: 'code', module: 'export default () => 1' }
  const upstream = await startApp({ vars: { ACCESS: 'open' } })
  await upstream.json('POST', '/tools', { definition: definition('Far.Away@1.0.0'), implementation })
  for (const name of ['first', 'forged', 'second'])
    await upstream.json('PUT', `/toolkits/Far/skills/${name}`, { files: files(name) })
  // Serves other words than it lists
  const forger = await startUpstream(async (request, response) => {
    const headers = new Headers(
      Object.entries(request.headers).flatMap(([name, value]) =>
        name === 'host' || name === 'content-length' ? [] : [[name, String(value)] as [string, string]],
      ),
    )
    const { body, method } = request
    const answer = await fetch(`${upstream.url}/mcp`, { method, headers, ...(method === 'POST' ? { body } : {}) })
    const text = await answer.text()
    const isForged = body.includes('resources/read') && body.includes('forged/SKILL.md')
    const type = answer.headers.get('content-type') ?? 'application/json'
    response.writeHead(answer.status, { 'content-type': type }).end(isForged ? text.replace('Do it.', 'Pay me') : text)
  })
  const importer = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: forger.host } })
  try {
    const load = (query = '') =>
      importer.json(
        'POST',
        `/toolkits/import${query}`,
        { from: { mcp: `${forger.origin}/mcp` }, toolkit: 'Near', version: '1.0.0' },
        ADMIN,
      )
    expect((await load('?dry_run=1')).body.skills).toBeUndefined()
    const { status, body } = await load()
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.skills).toEqual([
      { name: 'first', version: 1 },
      { name: 'forged', reason: NOT_READ },
      { name: 'second', version: 1 },
    ])
    const { body: first } = await importer.json('GET', '/toolkits/Near/skills/first', undefined, ADMIN)
    expect(first.files).toEqual(files('first'))
    const again = await load()
    expect(again.status).toBe(200)
    expect(again.body.skills).toEqual(body.skills)
    const many = Object.fromEntries(Array.from({ length: 496 }, (_, at) => [`f${at}`, '']))
    await upstream.json('PUT', '/toolkits/Far/skills/third', { files: { ...files('third'), ...many } })
    await upstream.json('PUT', '/toolkits/Far/skills/fourth', { files: files('fourth') })
    const third = await load()
    expect(third.status).toBe(201)
    expect(third.body.skills).toContainEqual({ name: 'fourth', version: 1 })
    expect(third.body.skills).toContainEqual({ name: 'third', reason: NOT_READ })
    const added = async () => {
      const { body: audit } = await importer.json('GET', '/audit', undefined, ADMIN)
      return audit.items.flatMap(({ about }: { about?: { skills?: string[] } }) => about?.skills ?? [])
    }
    await expect.poll(added).toEqual(expect.arrayContaining(['first', 'second', 'fourth']))
    expect(await added()).toHaveLength(3)
    expect((await importer.json('GET', '/toolkits/Near/skills/forged', undefined, ADMIN)).status).toBe(404)
  } finally {
    await Promise.all([upstream.stop(), importer.stop(), forger.close()])
  }
})

it('passes the scenarios of the conformance suite', async () => {
  const open = await startApp({ vars: { ACCESS: 'open' } })
  const results = mkdtempSync(join(tmpdir(), 'switchboard-skills-'))
  try {
    const tool = {
      definition: definition('Mail.Send@1.0.0'),
      implementation: { kind: 'code', module: 'export default () => 1' },
    }
    await open.json('POST', '/tools', tool)
    for (const name of ['one', 'two'])
      expect((await open.json('PUT', `/toolkits/Mail/skills/${name}`, { files: files(name) })).status).toBe(201)
    for (const scenario of ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory']) {
      const args = [suite, 'server', '--url', `${open.url}/mcp`, '--scenario', scenario, '--output-dir', results]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      child.stdout.on('data', (chunk) => (output += chunk))
      child.stderr.on('data', (chunk) => (output += chunk))
      expect(await new Promise((done) => child.once('close', done)), output).toBe(0)
    }
    const checks = readdirSync(results, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('checks.json'))
      .flatMap((path) => JSON.parse(readFileSync(join(results, path), 'utf8')))
    const unmet = checks.filter(({ status }) => status !== 'SUCCESS')
    console.log(JSON.stringify(unmet.map(({ id, status, errorMessage }) => [id, status, errorMessage])))
    expect(unmet.filter(({ status }) => status !== 'SKIPPED')).toEqual([])
    expect(checks.length).toBeGreaterThan(25)
  } finally {
    rmSync(results, { recursive: true })
    await open.stop()
  }
}, 60_000)
