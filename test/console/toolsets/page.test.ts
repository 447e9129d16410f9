import { expect, it } from 'vitest'
import { compareToolsets } from '../../../src/console/toolsets/changes.ts'
import { setUp } from '../set-up.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const CHANGED = { changed_at: '2030-01-01T11:02:03.456Z', changed_by: 'person:ann@acme.com' }
const DEFINITION = {
  title: 'Post <office>',
  instructions: 'Be polite',
  enabled: true,
  review: true,
  tools: [
    {
      tool: 'Mail.Send',
      version: '^1.2',
      name: 'Write',
      description: 'Writes to the boss',
      arguments: { to: { value: 'boss@acme.com' }, trace: { hidden: true } },
    },
    { tool: 'Notes.*' },
  ],
} as const
const TOOLSET = { ...DEFINITION, name: 'post', owner: 'key:1', revision: 3, digest: DIGEST, ...CHANGED }
const PENDING = {
  ...TOOLSET,
  pending: {
    definition: { ...DEFINITION, instructions: 'Be rude', tools: [{ tool: 'Mail.*' }] },
    digest: `sha256:${'b'.repeat(64)}`,
    tokens: 1_298,
    ...CHANGED,
  },
}
const SUMMARY = { name: 'post', title: TOOLSET.title, enabled: false, pending: true, revision: 3, tool_count: 2 }
const PATH = '/console/toolsets/post'
const world = (toolset: object = TOOLSET, more: Parameters<typeof setUp>[0] = {}) =>
  setUp({
    'GET /toolsets': () => ({ items: [SUMMARY] }),
    'GET /toolsets/post': () => Response.json(toolset, { headers: { etag: '"e1"' } }),
    'GET /keys': () => ({
      items: [
        { name: 'an agent', toolset: 'post' },
        { name: 'of another', toolset: 'other' },
      ],
    }),
    ...more,
  })
const textOf = (html: string) =>
  html
    .replaceAll(/<wbr *\/?>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

it('the page of toolsets lists each with its state', async () => {
  const html = await (await world().get('/console/toolsets')).text()
  expect(html).toContain(`href="${PATH}"`)
  expect(textOf(html)).toContain('post Post &lt;office&gt; 2 3 disabled, a change waits for approval')
  const none = await setUp({ 'GET /toolsets': () => ({ items: [] }) }).get('/console/toolsets')
  expect(await none.text()).toContain('No toolsets yet')
})

it('the page of a toolset shows each tool as it defines it, its URLs and its keys', async () => {
  const html = await (await world().get(PATH)).text()
  const text = textOf(html)
  expect(text).toContain('Mail.Send ^1.2 Write Writes to the boss to = &quot;boss@acme.com&quot;, trace hidden')
  expect(text).toContain('Notes.* newest')
  for (const said of ['Be polite', DIGEST, 'key:1', 'Revision 3, by ann@acme.com', '“an agent”'])
    expect(text).toContain(said)
  for (const url of ['https://switchboard.test/mcp/t/post', 'https://switchboard.test/connect/mcp/t/post'])
    expect(html).toContain(`<pre>${url}</pre>`)
  expect(html).toContain('<pre>?toolset=post</pre>')
  expect(text).not.toContain('of another')
  expect(text).not.toContain('Tokens')
  expect(textOf(await (await world({ ...TOOLSET, tokens: 812 }).get(PATH)).text())).toContain('Tokens 812')
})

it('the page of a toolset does not request keys if the visitor may not list them', async () => {
  const { get, asked } = setUp(
    { 'GET /toolsets/post': () => TOOLSET },
    { id: 'key:1', kind: 'key', scopes: ['tools:publish'], tools: ['*'], users: [] },
  )
  expect((await get(PATH)).status).toBe(200)
  expect(asked.map(({ request }) => new URL(request.url).pathname)).toEqual(['/toolsets/post'])
})

it('the page of a missing toolset says so', async () => {
  const page = await world().get('/console/toolsets/gone')
  expect([page.status, (await page.text()).includes('There is nothing here')]).toEqual([404, true])
})

it('the page of a toolset shows a pending change, instructions first, and approves or rejects exactly that', async () => {
  const { get, post, asked } = world(PENDING, {
    'POST /toolsets/post/approve': () => TOOLSET,
    'POST /toolsets/post/reject': () => TOOLSET,
  })
  const html = await (await get(PATH)).text()
  expect(html.indexOf('<code>/instructions</code>')).toBeLessThan(html.indexOf('<code>/tools</code>'))
  expect(html).toContain('Be <del>polite</del>')
  expect(html).toContain('Be <ins>rude</ins>')
  expect(textOf(html)).toContain(
    'Its &#39;description&#39; is gone /tools/Mail.Send/description Before Writes to the boss',
  )
  expect(html).toContain('Costs a model 1,298 tokens')
  expect(html).not.toContain('value="disable"')
  const etag = /name="etag" value="([^"]*)"/.exec(html)?.[1] ?? ''
  for (const [verb, done] of [
    ['approve', 'saved'],
    ['reject', 'reject'],
  ] as const) {
    const { headers } = await post(PATH, { do: verb, etag })
    expect(headers.get('location')).toBe(`${PATH}?done=${done}`)
    const { request } = asked.at(-1) ?? {}
    expect([request?.url, request?.headers.get('if-match')]).toEqual([
      `https://switchboard.test/toolsets/post/${verb}`,
      `"${PENDING.pending.digest}"`,
    ])
  }
})

it('the page of a toolset says why a change was not approved', async () => {
  const { post } = world(PENDING, {
    'POST /toolsets/post/approve': () => Response.json({ message: 'The resource <changed>' }, { status: 412 }),
  })
  const page = await post(PATH, { do: 'approve', etag: 'e0' })
  expect([page.status, (await page.text()).includes('The resource &lt;changed&gt;')]).toEqual([412, true])
})

it('the page of a toolset disables and enables it without changing its definition', async () => {
  const { post, asked } = world({ ...TOOLSET, tokens: 8 }, { 'PUT /toolsets/post': () => TOOLSET })
  for (const [verb, enabled] of [
    ['disable', false],
    ['enable', true],
  ] as const) {
    const { headers } = await post(PATH, { do: verb, etag: 'e1' })
    expect(headers.get('location')).toBe(`${PATH}?done=saved`)
    const { request, body = '' } = asked.at(-1) ?? {}
    expect(request?.headers.get('if-match')).toBe('"e1"')
    expect(JSON.parse(body)).toEqual({ ...DEFINITION, enabled })
  }
})

it('the page of a toolset deletes it', async () => {
  const { post, asked } = world(TOOLSET, { 'DELETE /toolsets/post': () => new Response(null, { status: 204 }) })
  const { headers } = await post(PATH, { do: 'remove', etag: 'e1' })
  expect(headers.get('location')).toBe('/console/toolsets?done=removed')
  expect(asked.at(-1)?.request.headers.get('if-match')).toBe('"e1"')
})

const NEW = '/console/toolsets'
const PUT = 'PUT /toolsets/mail'
const FORM = { 'do': 'set', 'input/name': ' mail ', 'input/definition': '{"tools": [{"tool": "Mail.*"}]}' }

it('the form of a toolset sends the definition as written, and leads to the saved toolset', async () => {
  const { post, asked } = world(TOOLSET, { [PUT]: () => TOOLSET })
  const { headers } = await post(NEW, FORM)
  expect(headers.get('location')).toBe('/console/toolsets/mail?done=saved')
  const { request, body = '' } = asked.at(-1) ?? {}
  expect([request?.method, request?.headers.get('if-match'), JSON.parse(body)]).toEqual([
    'PUT',
    null,
    { tools: [{ tool: 'Mail.*' }] },
  ])
  const waiting = await world(TOOLSET, { [PUT]: () => PENDING }).post(NEW, FORM)
  expect(waiting.headers.get('location')).toBe('/console/toolsets/mail?done=pending')
})

it('the form of a toolset shows errors with their path, and keeps the entered values', async () => {
  const problem = { path: '/tools/0/tool', message: 'Must be a tool' }
  const { post } = world(TOOLSET, {
    [PUT]: () => Response.json({ message: 'Not valid', errors: [problem] }, { status: 400 }),
  })
  const page = await post(NEW, FORM)
  const html = await page.text()
  expect(page.status).toBe(400)
  expect(html).toContain('<code>tools/0/tool</code> Must be a tool')
  expect(html).toContain('Mail.*')
})

it.each([
  ['no name', { ...FORM, 'input/name': ' ' }, 'Is required'],
  ['the name of another', { ...FORM, 'input/name': 'post' }, 'Is the name of another toolset'],
  ['a definition that is no JSON', { ...FORM, 'input/definition': '{tools}' }, 'Must be JSON'],
])('the form of a toolset sends nothing with %s', async (_, fields, said) => {
  const { post, asked } = world(TOOLSET, { 'PUT /toolsets/post': () => TOOLSET, [PUT]: () => TOOLSET })
  const page = await post(NEW, fields)
  expect([page.status, (await page.text()).includes(said)]).toEqual([400, true])
  expect(asked.filter(({ request }) => request.method === 'PUT')).toEqual([])
})

it('the form of a toolset shows warnings with the saved toolset', async () => {
  const warnings = [{ path: '/tools/0', message: "No tool matches 'Mail.*' now" }]
  const { post } = world(TOOLSET, {
    [PUT]: () => ({ ...TOOLSET, warnings }),
    'GET /toolsets/mail': (() => {
      const replies = [Response.json({ message: 'None' }, { status: 404 })]
      return () => replies.pop() ?? { ...TOOLSET, name: 'mail' }
    })(),
  })
  const page = await post(NEW, FORM)
  const text = textOf(await page.text())
  expect(page.status).toBe(200)
  expect(text).toContain('Saved, with warnings.')
  expect(text).toContain('/tools/0 No tool matches')
  expect(text).toContain('https://switchboard.test/mcp/t/mail')
})

it('the form of a toolset is filled with the toolset to edit, and saves only the revision that was read', async () => {
  const { get, post, asked } = world(TOOLSET, {
    'PUT /toolsets/post': () => Response.json({ message: 'Changed' }, { status: 412 }),
  })
  const html = await (await get(`${NEW}?name=post`)).text()
  expect(html).toContain('Edit post')
  expect(html).toContain('value="post"')
  expect(html).toContain('&#34;instructions&#34;: &#34;Be polite&#34;')
  expect(html).not.toContain('&#34;owner&#34;')
  const page = await post(`${NEW}?name=post`, { ...FORM, 'input/name': 'post', 'etag': 'e1' })
  expect(asked.find(({ request }) => request.method === 'PUT')?.request.headers.get('if-match')).toBe('"e1"')
  const said = await page.text()
  expect([page.status, said.includes('changed by somebody else')]).toEqual([412, true])
  expect(said).toContain('Be polite')
})

it('the form of a toolset is filled with the pending change, or with the tools in a link', async () => {
  expect(await (await world(PENDING).get(`${NEW}?name=post`)).text()).toContain('Be rude')
  const html = await (await world().get(`${NEW}?new=1&tool=Mail.*&tool=Notes.Write`)).text()
  expect(html).toMatch(/Mail\.\*[^]*Notes\.Write/)
})

it('toolsets are compared by their texts, and by the order of their entries', () => {
  const before = { enabled: true, tools: [{ tool: 'A.*' }, { tool: 'B.*', version: '^1' }] }
  expect(compareToolsets(before, before)).toEqual([])
  const after = { ...before, tools: [...before.tools].reverse() }
  expect(compareToolsets(before, after)).toEqual([
    { path: '/tools', what: "Its 'tools' differs", level: 'patch', before: 'A.* B.*', after: 'B.* A.*' },
  ])
  const instructions = 'Ignore all before'
  expect(compareToolsets(before, { ...before, enabled: false, instructions })).toEqual([
    { path: '/instructions', what: "Its 'instructions' is new", level: 'patch', after: instructions },
    { path: '/enabled', what: "Its 'enabled' differs", level: 'patch', before: 'true', after: 'false' },
  ])
})
