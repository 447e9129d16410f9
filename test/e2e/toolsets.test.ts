import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from '../attacks/set-up.ts'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer
let ann: Awaited<ReturnType<typeof keyOf>>
let bob: Awaited<ReturnType<typeof keyOf>>
let caller: Awaited<ReturnType<typeof keyOf>>

const put = (name: string, body: unknown, as: Headers = ann.as) => server.json('PUT', `/toolsets/${name}`, body, as)
const get = (name: string, as: Headers = ann.as) => server.json('GET', `/toolsets/${name}`, undefined, as)
const remove = (name: string, as: Headers = ann.as) => server.json('DELETE', `/toolsets/${name}`, undefined, as)
const decide = (name: string, how: 'approve' | 'reject', as: Headers = ann.as) =>
  server.json('POST', `/toolsets/${name}/${how}`, undefined, as)
const hashOf = (value: unknown) =>
  `sha256:${createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')}`

async function publish(tool: string, input: object, toolkit = 'Mail') {
  const implementation = { kind: 'code', module: 'export default () => 1' }
  const definition = { name: tool, description: 'Does it', inputSchema: input }
  const { status, body } = await server.json(
    'POST',
    '/tools',
    { definition, toolkit, version: '1.0.0', implementation },
    asAdmin,
  )
  expect([status, JSON.stringify(body)]).toEqual([201, expect.any(String)])
}

beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  ann = await keyOf(server, ['*'])
  bob = await keyOf(server, ['*'])
  caller = await keyOf(server, ['*'], { scopes: ['tools:read', 'tools:call'] })
  const properties = {
    to: { type: 'string' },
    limit: { $ref: '#/$defs/count' },
    folder: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  }
  await publish('Send', { type: 'object', properties, required: ['to'], $defs: { count: { type: 'integer' } } })
  await publish('Hidden', { type: 'object' }, 'Secret')
})
afterAll(() => server?.stop())

const SEND = { tool: 'Mail.Send', name: 'Write', arguments: { to: { value: 'boss@acme.com' } } }

describe('/toolsets', () => {
  it('stores a toolset as written, with its owner, revision and a digest that anyone can compute', async () => {
    const definition = { title: 'Boss', instructions: 'Be polite', tools: [SEND], pinned: ['Mail.Send'] }
    const made = await put('boss', definition)
    const digest = hashOf({ name: 'boss', definition: { ...definition, enabled: true } })
    const owner = `key:${ann.id}`
    const stored = { ...definition, enabled: true, name: 'boss', owner, revision: 1, digest, changed_by: owner }
    expect([made.status, made.body]).toEqual([
      201,
      { ...stored, tokens: made.body.tokens, changed_at: expect.any(String) },
    ])
    const read = await get('boss')
    expect([read.status, read.body]).toEqual([200, made.body])
    expect(read.headers.get('etag')).toBe(made.headers.get('etag'))
    const { body } = await server.json('GET', '/toolsets', undefined, ann.as)
    const { instructions: _, tools: __, pinned: ___, ...summary } = stored
    expect(body.items).toEqual([{ ...summary, changed_at: made.body.changed_at, tool_count: 1, pending: false }])
  })

  it('increases the revision only for real changes', async () => {
    const first = await put('counted', { tools: [] })
    const same = await put('counted', { enabled: true, tools: [] })
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([200, first.body, first.headers.get('etag')])
    const second = await put('counted', { tools: [{ tool: 'Mail.*' }] })
    expect([second.status, second.body.revision]).toEqual([200, 2])
    expect((await put('counted', { tools: [] })).body).toMatchObject({ revision: 3, digest: first.body.digest })
  })

  it.each(['Boss', '-boss', 'a.b', 'a b', 'é', 'a'.repeat(64)])('refuses the name %j', async (name) => {
    const { status, body } = await put(encodeURIComponent(name), { tools: [] })
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('lower-case letters, digits')])
  })

  it('replaces and deletes only the revision in If-Match', async () => {
    const tag = { 'if-match': (await put('matched', { tools: [] })).headers.get('etag') ?? '' }
    const put2 = (headers: Headers) => put('matched', { tools: [{ tool: 'Mail.*' }] }, { ...ann.as, ...headers })
    expect((await put2({ 'if-match': '"stale"' })).status).toBe(412)
    expect((await put2(tag)).status).toBe(200)
    expect((await put2(tag)).status).toBe(412)
    expect((await put('never-made', { tools: [] }, { ...ann.as, 'if-match': '*' })).status).toBe(412)
    expect((await remove('matched', { ...ann.as, ...tag })).status).toBe(412)
    expect((await remove('matched')).status).toBe(204)
    expect((await remove('matched')).status).toBe(404)
    expect((await get('matched')).status).toBe(404)
  })

  it('hides a toolset from other publishers, who cannot change it, and shows administrators all toolsets', async () => {
    await put('anns', { tools: [], review: true })
    await put('anns', { tools: [{ tool: 'Mail.*' }], review: true })
    expect((await get('anns', bob.as)).status).toBe(404)
    expect((await server.json('GET', '/toolsets', undefined, bob.as)).body).toEqual({ items: [] })
    const refused = [await put('anns', { tools: [] }, bob.as), await remove('anns', bob.as)]
    refused.push(await decide('anns', 'approve', bob.as), await decide('anns', 'reject', bob.as))
    for (const { status, body } of refused)
      expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining("'anns' is another's")])
    expect((await get('anns', asAdmin)).body).toMatchObject({ revision: 1, owner: `key:${ann.id}` })
    expect((await server.json('GET', '/toolsets', undefined, asAdmin)).body.items.length).toBeGreaterThan(1)
    // An administrator's change leaves it its owner's
    expect((await put('anns', { tools: [{ tool: 'Mail.Send' }], review: true }, asAdmin)).body).toMatchObject({
      owner: `key:${ann.id}`,
      pending: { changed_by: 'admin' },
    })
  })

  it('reserves a deleted name for its owner, because keys and URLs may still use it', async () => {
    await put('kept', { tools: [] })
    expect((await remove('kept')).status).toBe(204)
    const { status, body } = await put('kept', { tools: [{ tool: '*' }] }, bob.as)
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining("'kept' is another's")])
    expect((await server.json('GET', '/toolsets', undefined, asAdmin)).body.items).not.toContainEqual(
      expect.objectContaining({ name: expect.stringContaining('kept') }),
    )
    // An administrator gives it back
    const { body: made } = await put('kept', { tools: [] }, asAdmin)
    expect(made).toMatchObject({ owner: `key:${ann.id}`, revision: 1, changed_by: 'admin' })
    expect((await put('kept', { tools: [{ tool: 'Mail.*' }] })).body.revision).toBe(2)
  })

  it('needs the scope tools:publish', async () => {
    for (const { status } of [await put('mine', { tools: [] }, caller.as), await get('boss', caller.as)])
      expect(status).toBe(403)
    expect((await server.json('GET', '/toolsets')).status).toBe(401)
  })

  it('makes a change wait for approval if the current or the new definition requires review', async () => {
    const first = await put('reviewed', { tools: [] })
    const asked = await put('reviewed', { tools: [{ tool: 'Mail.Send' }], review: true })
    expect([asked.status, asked.body]).toMatchObject([200, { revision: 1, tools: [], digest: first.body.digest }])
    const { pending } = asked.body
    expect(pending).toMatchObject({ definition: { tools: [{ tool: 'Mail.Send' }], review: true } })
    expect(pending.digest).toBe(hashOf({ name: 'reviewed', definition: pending.definition }))
    // The same again waits once
    expect((await put('reviewed', { tools: [{ tool: 'Mail.Send' }], review: true })).body).toEqual(asked.body)
    const seen = (digest: string) => ({ ...ann.as, 'if-match': `"${digest}"` })
    expect((await decide('reviewed', 'approve', seen(first.body.digest))).status).toBe(412)
    const approved = await decide('reviewed', 'approve', seen(pending.digest))
    expect([approved.status, approved.body]).toMatchObject([200, { revision: 2, digest: pending.digest, review: true }])
    expect(approved.body.pending).toBeUndefined()
    const again = await decide('reviewed', 'approve')
    expect([again.status, again.body.message]).toEqual([409, "No change of the toolset 'reviewed' waits for approval"])
    // Review ends by a change that is reviewed
    expect((await put('reviewed', { tools: [] })).body.pending).toBeDefined()
    const rejected = await decide('reviewed', 'reject', asAdmin)
    expect([rejected.status, rejected.body]).toEqual([200, approved.body])
    expect((await get('reviewed')).body).toEqual(approved.body)
    const approvals = async () =>
      (await server.json('GET', '/audit?act=toolset.approve', undefined, asAdmin)).body.items
    await expect
      .poll(approvals, { timeout: 10_000 })
      .toContainEqual(
        expect.objectContaining({ path: '/toolsets/reviewed/approve', outcome: 'success', principal: `key:${ann.id}` }),
      )
  })

  it("counts the tools' tokens as the caller sees them, and makes a change above max_tokens wait", async () => {
    const tokensOf = async (tools: object[], as?: Headers) => (await put('counting', { tools }, as)).body.tokens
    const [none, send] = [await tokensOf([]), await tokensOf([{ tool: 'Mail.Send' }])]
    const fixed = await tokensOf([SEND])
    expect([none, send > fixed, fixed > 20]).toEqual([0, true, true])
    // No tool counts that its author may not see
    const mailer = await keyOf(server, ['Mail.*'])
    const { body: narrow } = await put('narrow', { tools: [{ tool: '*' }] }, mailer.as)
    expect([narrow.tokens, (await get('narrow', asAdmin)).body.tokens > send]).toEqual([send, true])
    const limited = await put('limited', { tools: [SEND], max_tokens: fixed })
    expect([limited.status, limited.body.tokens, limited.body.pending]).toEqual([201, fixed, undefined])
    const waiting = await put('limited', { tools: [{ tool: 'Mail.Send' }], max_tokens: 10_000 })
    expect([waiting.status, waiting.body]).toMatchObject([
      200,
      { revision: 1, tokens: fixed, pending: { tokens: send } },
    ])
    const smaller = await put('limited', { tools: [], max_tokens: fixed })
    expect([smaller.body.revision, smaller.body.pending]).toEqual([2, undefined])
    // What is not counted waits
    const blind = await keyOf(server, ['*'], { scopes: ['tools:publish'] })
    await put('uncounted', { tools: [], max_tokens: 1_000_000 }, blind.as)
    expect((await put('uncounted', { tools: [SEND], max_tokens: 1_000_000 }, blind.as)).body.pending).toBeDefined()
  })

  it('warns about entries that do not match the current tools that the caller may see', async () => {
    const tools = [
      { tool: 'Mail.Gone' },
      { tool: 'Nothing.*' },
      { tool: 'Mail.Send', version: '^9' },
      { tool: 'Secret.Hidden' },
      { tool: '*.Send' },
    ]
    const mailer = await keyOf(server, ['Mail.*'])
    const { status, body } = await put('warned', { tools }, mailer.as)
    expect([status, body.warnings]).toEqual([
      201,
      [
        { path: '/tools/0', message: "No tool matches 'Mail.Gone' now" },
        { path: '/tools/1', message: "No tool matches 'Nothing.*' now" },
        { path: '/tools/3', message: "No tool matches 'Secret.Hidden' now" },
        { path: '/tools/2/version', message: "'Mail.Send' has no version '^9' now" },
      ],
    ])
    expect((await get('warned', mailer.as)).body.warnings).toBeUndefined()
    const gone = await put('warned-too', { tools: [{ tool: 'Mail.Send', arguments: { cc: { value: 'x' } } }] })
    expect(gone.body.warnings).toEqual([
      { path: '/tools/0/arguments/cc', message: "'Mail.Send@1.0.0' has no argument 'cc'" },
    ])
    const blind = await keyOf(server, ['*'], { scopes: ['tools:publish'] })
    const unseen = await put('unseen', { tools: [{ ...SEND, arguments: { to: { value: 7 } } }] }, blind.as)
    expect([unseen.status, JSON.stringify(unseen.body.warnings)]).toEqual([201, expect.stringContaining('tools:read')])
  })

  it.each([
    [{ to: { hidden: true } }, "at 'tools[0].arguments.to': 'Mail.Send@1.0.0' requires 'to'"],
    [{ limit: { value: 'many' } }, "at 'tools[0].arguments.limit.value': Must be an integer"],
    [{ folder: { value: { name: 3 } } }, "at 'tools[0].arguments.folder.value.name': Must be a string"],
    [{ folder: { value: {} } }, "at 'tools[0].arguments.folder.value.name': Is required"],
    [{ to: {} }, "Must have either 'value' or 'hidden'"],
    [{ to: { value: 'x', hidden: true } }, "Must have either 'value' or 'hidden'"],
  ])('refuses the arguments %j', async (fixed, message) => {
    const { status, body } = await put('refused', { tools: [{ tool: 'Mail.Send', arguments: fixed }] })
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)])
    expect((await get('refused')).status).toBe(404)
  })

  it.each([
    [{}, 'tools'],
    [{ tools: [{ tool: 'Mail.*', name: 'All' }] }, 'Must name one tool'],
    [{ tools: [SEND, { tool: 'Mail.Write' }] }, 'Two entries are of one name'],
    [{ tools: [], secret: 1 }, "'secret'"],
    [{ tools: [], lock: `sha256:${'f'.repeat(64)}` }, 'There is no such lock'],
  ])('refuses %j', async (body, message) => {
    const answer = await put('refused', body)
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)])
  })

  it('refuses the 51st toolset of a publisher, but not of an administrator', async () => {
    const many = await keyOf(server, ['*'])
    for (let n = 0; n < 50; n += 10) {
      const made = await Promise.all(Array.from({ length: 10 }, (_, k) => put(`many-${n + k}`, { tools: [] }, many.as)))
      expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201))
    }
    const refused = await put('many-more', { tools: [] }, many.as)
    expect([refused.status, refused.body.message]).toEqual([409, 'You have 50 toolsets, the maximum: delete one'])
    expect((await put('many-0', { tools: [{ tool: 'Mail.*' }] }, many.as)).status).toBe(200)
    expect((await put('many-more', { tools: [] }, asAdmin)).status).toBe(201)
  })

  it('refuses a toolset that is too large, also after its numbers are expanded', async () => {
    const long = { tools: [], instructions: 'x'.repeat(10_001) }
    expect((await put('large', long)).status).toBe(400)
    const argument = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`a${n}`, { value: Array(900).fill(1) }]))
    const tools = Array.from({ length: 9 }, (_, n) => ({ tool: `Mail.T${n}`, arguments: argument }))
    expect((await put('large', { tools })).status).toBe(413)
    const response = await fetch(`${server.url}/toolsets/large`, {
      method: 'PUT',
      headers: { ...ann.as, 'content-type': 'application/json' },
      body: `{"tools":[{"tool":"Mail.Send","arguments":{"to":{"value":[${Array(40_000).fill('1e20').join()}]}}}]}`,
    })
    expect(response.status).toBe(413)
  })
})

describe('/locks', () => {
  const LOCK = {
    version: 1,
    digest_form: 'sep-2636/2026-09',
    tools: { Mail_Send: { id: 'Mail.Send@1.0.0', digest: `sha256:${'a'.repeat(64)}` } },
  }
  const putLock = (body: unknown, as: Headers = ann.as) => server.json('PUT', '/locks', body, as)

  it('stores a lock once under its hash, for callers who may list tools and know the hash', async () => {
    const hash = hashOf(LOCK)
    const made = await putLock(LOCK)
    expect([made.status, made.body, made.headers.get('location')]).toEqual([201, { hash }, `/locks/${hash}`])
    expect(await putLock(LOCK, bob.as)).toMatchObject({ status: 200, body: { hash } })
    expect(await server.json('GET', `/locks/${hash}`, undefined, caller.as)).toMatchObject({ status: 200, body: LOCK })
    expect((await put('locked', { tools: [], lock: hash })).status).toBe(201)
    expect((await server.json('DELETE', `/locks/${hash}`, undefined, ann.as)).status).toBe(403)
    expect((await server.json('DELETE', `/locks/${hash}`, undefined, asAdmin)).status).toBe(204)
    expect((await server.json('GET', `/locks/${hash}`, undefined, caller.as)).status).toBe(404)
    expect((await server.json('DELETE', `/locks/${hash}`, undefined, asAdmin)).status).toBe(404)
  })

  it('refuses an invalid lock, and callers who may not store one', async () => {
    expect((await putLock(LOCK, caller.as)).status).toBe(403)
    for (const wrong of [
      { ...LOCK, version: 2 },
      { ...LOCK, digest_form: 'other' },
      { ...LOCK, tools: { Mail_Send: { id: 'Mail.Send', digest: `sha256:${'a'.repeat(64)}` } } },
      { ...LOCK, tools: { 'a name': LOCK.tools.Mail_Send } },
      { ...LOCK, more: 1 },
    ])
      expect((await putLock(wrong)).status).toBe(400)
    expect((await server.json('GET', '/locks/sha256:0', undefined, ann.as)).status).toBe(400)
  })
})

describe('a key with a toolset or a lock', () => {
  const patch = (id: string, body: unknown) => server.json('PATCH', `/keys/${id}`, body, asAdmin)
  const bound = { name: 'bound', scopes: ['tools:read', 'tools:call'] }
  const missing = `sha256:${'e'.repeat(64)}`

  it('is created only with an existing toolset and lock, and has no other scopes', async () => {
    await put('bound', { tools: [SEND] })
    const make = (body: object) => server.json('POST', '/keys', { ...bound, ...body }, asAdmin)
    for (const [body, message] of [
      [{ toolset: 'nothing' }, "There is no toolset 'nothing'"],
      [{ lock: missing }, 'There is no such lock'],
      [{ toolset: 'bound', scopes: ['tools:read', 'tools:publish'] }, "only have the scopes 'tools:read' and"],
      [{ toolset: 'bound', scopes: ['admin'] }, "only have the scopes 'tools:read' and"],
    ] as const) {
      const answer = await make(body)
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)])
    }
    expect((await make({ toolset: 'No' })).status).toBe(422)
    const { status, body } = await make({ toolset: 'bound' })
    expect([status, body.toolset]).toEqual([201, 'bound'])
    expect((await server.json('GET', `/keys/${body.id}`, undefined, asAdmin)).body.toolset).toBe('bound')
  })

  it('is changed by the same rules, and null removes its toolset', async () => {
    await put('bound', { tools: [SEND] })
    const key = await keyOf(server, ['*'])
    expect((await patch(key.id, { toolset: 'bound' })).body.message).toContain('may only have the scopes')
    expect((await patch(key.id, { toolset: 'bound', ...bound })).body).toMatchObject({ toolset: 'bound', ...bound })
    expect((await patch(key.id, { scopes: ['admin'] })).status).toBe(400)
    expect((await patch(key.id, { name: 'renamed' })).body).toMatchObject({ toolset: 'bound', name: 'renamed' })
    expect((await patch(key.id, { lock: missing })).status).toBe(400)
    const stale = await server.json('PATCH', `/keys/${key.id}`, { toolset: null }, { ...asAdmin, 'if-match': '"x"' })
    expect(stale.status).toBe(412)
    const freed = await patch(key.id, { toolset: null })
    expect([freed.status, freed.body.toolset]).toEqual([200, undefined])
    expect((await patch(key.id, { scopes: ['admin'] })).status).toBe(200)
    expect((await patch('none', { toolset: null })).status).toBe(404)
  })

  it('sees nothing once its toolset is deleted, and cannot manage toolsets', async () => {
    await put('leaving', { tools: [{ tool: 'Mail.*' }] })
    const key = await keyOf(server, ['*'], { scopes: ['tools:read', 'tools:call'], toolset: 'leaving' })
    await remove('leaving')
    const { status, body } = await server.json('GET', '/tools', undefined, key.as)
    expect([status, body.items]).toEqual([200, []])
    expect((await put('leaving', { tools: [{ tool: '*' }] }, key.as)).status).toBe(403)
  })
})

it('toolsets and locks are restored with the same digests, unless another toolset has the name', async () => {
  const lock = { version: 1, digest_form: 'sep-2636/2026-09', tools: {} }
  const { hash } = (await server.json('PUT', '/locks', lock, ann.as)).body
  await put('moved', { tools: [SEND], lock: hash, review: true })
  await put('moved', { tools: [], lock: hash })
  await put('moved-too', { tools: [SEND] })
  await put('unmoved', { tools: [] })
  await remove('unmoved')
  const toolsetsOf = (of: RunningServer) => of.json('GET', '/toolsets/moved', undefined, asAdmin)
  const file = await (await fetch(`${server.url}/export`, { headers: asAdmin })).text()
  expect(file).not.toContain('unmoved')
  const part = await (await fetch(`${server.url}/export?toolkit=Mail`, { headers: asAdmin })).text()
  expect(part).not.toMatch(/"kind":"(?:toolset|lock)"/)
  const other = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  try {
    await other.json('PUT', '/toolsets/moved-too', { tools: [] }, asAdmin)
    const restore = async (text: string) => {
      const headers = { ...asAdmin, 'content-type': 'application/jsonl' }
      const response = await fetch(`${other.url}/import?trust=1`, { method: 'POST', headers, body: text })
      return (await response.text())
        .trim()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line))
    }
    const first = await restore(file)
    expect(first.filter(({ outcome }) => outcome === 'refused')).toEqual([
      expect.objectContaining({ about: 'moved-too', message: expect.stringContaining('Another toolset has the name') }),
    ])
    const [here, there] = [await toolsetsOf(server), await toolsetsOf(other)]
    expect(there.body).toEqual(here.body)
    expect(there.body.pending.definition).toEqual({ enabled: true, tools: [], lock: hash })
    expect((await other.json('GET', `/locks/${hash}`, undefined, asAdmin)).body).toEqual(lock)
    expect((await restore(file)).at(-1)).toMatchObject({ done: true, created: 0, refused: 1 })
    // Changed by hand, or by another
    const forged = file.replaceAll('"boss@acme.com"', '"mallory@acme.com"')
    expect(JSON.stringify(await restore(forged))).toContain('The digest must be')
    expect((await other.json('POST', '/toolsets/moved/approve', undefined, asAdmin)).body).toMatchObject({
      digest: here.body.pending.digest,
      revision: 2,
    })
  } finally {
    await other.stop()
  }
})
