import { expect, it } from 'vitest'
import { setUp } from '../set-up.ts'

const PAGE = '/console/import'
const IMPORT = 'POST /toolkits/import'
const MADE = { tools: [{ id: 'Pets.list@1.0.0', state: 'new' }], skipped: [] }
const CHOSEN = { 'do': 'import', 'tag': '0', 'tool:0': 'list' }
const FIELDS = {
  'do': 'look',
  'kind': 'openapi',
  'source': 'https://pets.test/openapi.json',
  'input/toolkit': 'Pets',
  'input/version': '',
  'input/tools': 'list*\nget',
  'input/security_level': '5',
  'input/approval': '1',
  'input/options': '{"base_url": "https://pets.test", "toolkit": "Other"}',
  'input/allow_breaking': '1',
}

it('the page of imports previews an import with everything in its form, and imports the same', async () => {
  const { post, asked } = setUp({ [IMPORT]: () => MADE })
  const text = await (await post(PAGE, FIELDS)).text()
  const body = {
    from: { openapi: 'https://pets.test/openapi.json' },
    toolkit: 'Pets',
    tools: ['list*', 'get'],
    security_level: 5,
    approval: true,
    base_url: 'https://pets.test',
  }
  expect(asked[0]?.request.url).toBe('https://switchboard.test/toolkits/import?dry_run=1&allow=breaking')
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual(body)
  const hidden = [...text.matchAll(/<input type="hidden" name="([\w/]+)" value="([^"]*)"/g)].filter(
    ([, name]) => name !== 'do',
  )
  const sent = Object.fromEntries(
    hidden.map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
    ]),
  )
  expect(sent).toEqual(Object.fromEntries(Object.entries(FIELDS).filter(([name]) => name !== 'do')))
  await post(PAGE, { ...sent, 'do': 'import', 'tag': '0', 'tool:0': 'list' })
  expect(asked[1]?.request.url).toBe('https://switchboard.test/toolkits/import?allow=breaking')
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ ...body, tools: ['list'] })
})

it.each(['{', '[]', '"x"', '[['.repeat(100_000)])(
  'the page of imports sends nothing if its options are not an object: %.20s',
  async (options) => {
    const { post, asked } = setUp({ [IMPORT]: () => MADE })
    const page = await post(PAGE, { ...FIELDS, 'input/options': options })
    expect([page.status, asked]).toEqual([400, []])
    const text = await page.text()
    expect(text).toMatch(/Must be (?:a )?JSON|nests deeper/)
    expect(text).toContain('list*&#10;get</textarea>')
  },
)

it('the page of imports counts new, changed and unchanged tools by level, lists missing secrets, and offers tools by tag', async () => {
  const tool = (name: string, more: object) => ({
    id: `Pets.${name}@1.0.0`,
    state: 'new',
    method: 'GET',
    path: `/${name}`,
    ...more,
  })
  const missing = { missing_requirements: { secrets: [{ id: 'PETS_KEY' }] } }
  const tools = [
    tool('list', { tags: ['deprecated', 'pets'] }),
    tool('delete', { tags: ['pets'], security_level: 4, ...missing }),
    tool('bill', { tags: ['<b>'], state: 'changed' }),
    tool('old', { state: 'unchanged' }),
  ]
  const text = await (await setUp({ [IMPORT]: () => ({ tools, skipped: [] }) }).post(PAGE, FIELDS)).text()
  const counts = [...text.matchAll(/<li><strong>([\d,]+)<\/strong> ([^<]+)/g)].map(
    ([, count, label]) => `${count} ${label}`,
  )
  const summary = ['2 new', '1 changed', '1 the same', '1 missing: PETS_KEY', '3 at level 0', '1 at level 4']
  expect(counts).toEqual(summary)
  const boxes = [...text.matchAll(/<input type="checkbox" name="(tag|tool:\d)" value="(\w+)"/g)].map(
    ([, ...box]) => box,
  )
  expect(boxes).toEqual([
    ['tag', '0'],
    ['tool:0', 'list'],
    ['tool:0', 'delete'],
    ['tag', '1'],
    ['tool:1', 'bill'],
  ])
  expect(text).toContain('&lt;b&gt;')
  const none = setUp({ [IMPORT]: () => ({ tools: tools.slice(3), skipped: [] }) })
  expect(await (await none.post(PAGE, FIELDS)).text()).toMatch(/There is nothing new to import[^]*Preview import/)
})

it('an import of the console imports the tools whose boxes are checked, also by tag', async () => {
  const { send, asked } = setUp({ [IMPORT]: () => ({ ids: ['Pets.list@1.0.0'], skipped: [] }) })
  const form = new FormData()
  const fields = [...Object.entries({ ...FIELDS, do: 'import' }), ['tag', '1'], ['tag', '2']] as const
  for (const [name, value] of fields) form.append(name, value)
  for (const [name, value] of [
    ['tool:0', 'a'],
    ['tool:1', 'list'],
    ['tool:1', 'get'],
    ['tool:12', 'x'],
  ] as const)
    form.append(name, value)
  expect(await (await send(PAGE, form)).text()).toContain('1 tool imported')
  expect(asked.map(({ body }) => JSON.parse(body).tools)).toEqual([['list', 'get']])
  const nothing = await send(PAGE, new URLSearchParams({ ...FIELDS, 'do': 'import', 'tool:0': 'a' }))
  expect([nothing.status, (await nothing.text()).includes('Choose at least one tool'), asked.length]).toEqual([
    400,
    true,
    1,
  ])
})

it('a large import of the console is sent in batches with its progress, and stops at the first failure', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `t${index}`)
  const form = () => {
    const data = new FormData()
    for (const [name, value] of Object.entries({ ...FIELDS, do: 'import', tag: '0' })) data.append(name, value)
    for (const name of names) data.append('tool:0', name)
    return data
  }
  const batches: string[][] = []
  const importBatch = async (request: Request) => {
    const { tools } = await request.json<{ tools: string[] }>()
    batches.push(tools)
    return {
      ids: tools.map((tool) => `Pets.${tool}@1.0.0`),
      skipped: [],
      warnings: [{ message: `'${tools[0]}' is odd`, tools: 1, ids: ['x'] }],
    }
  }
  const text = await (await setUp({ [IMPORT]: importBatch }).send(PAGE, form())).text()
  expect(batches.map(({ length }) => length)).toEqual([400, 400, 200])
  expect(batches.flat()).toEqual(names)
  expect(text).toMatch(/Imported 400 of 1,000 tools…[^]*Imported 800 of 1,000 tools…[^]*1,000 tools imported\./)
  const full = (request: Request) =>
    batches.length < 5 ? importBatch(request) : Response.json({ message: 'It is full' }, { status: 503 })
  const cut = await (await setUp({ [IMPORT]: full }).send(PAGE, form())).text()
  expect(cut).toMatch(
    /It is full\.[^]*800 tools imported\.[^]*Not done yet[^]*name="tool:0" value="t800"[^]*Try these again/,
  )
})

it('a description of megabytes is imported from a file, which the preview keeps', async () => {
  const { send, asked } = setUp({
    [IMPORT]: (request) => (request.url.includes('dry_run') ? MADE : { ids: ['Pets.list@1.0.0'], skipped: [] }),
  })
  const described = { openapi: '3.1.0', info: { title: `é${'<pets> '.repeat(2_000_000)}` }, paths: {} }
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...FIELDS, source: '' })) form.append(name, value)
  form.append('source', new File([JSON.stringify(described)], 'pets.json'))
  const text = await (await send(PAGE, form)).text()
  expect(JSON.parse(asked[0]?.body ?? '').from).toEqual({ openapi: described })
  expect(text.length).toBeLessThan(200_000)
  const [, packed = ''] = /name="source\.packed" value="([\w-]+)"/.exec(text) ?? []
  const confirm = new FormData()
  for (const [name, value] of Object.entries({ ...FIELDS, ...CHOSEN, 'source': '', 'source.packed': packed }))
    confirm.append(name, value)
  expect(await (await send(PAGE, confirm)).text()).toContain('1 tool imported')
  expect(JSON.parse(asked[1]?.body ?? '').from).toEqual({ openapi: described })
  confirm.set('source.packed', 'AAAA')
  const broken = await send(PAGE, confirm)
  expect([broken.status, (await broken.text()).includes('or choose a file'), asked.length]).toEqual([400, true, 2])
})

it('a form with files is refused by pages that accept none, and everywhere if it is too large or invalid', async () => {
  const { send } = setUp({})
  const form = new FormData()
  form.append('do', 'look')
  expect((await send('/console/keys', form)).status).toBe(415)
  const large = new Blob([' '.repeat(18_000_000)], { type: 'multipart/form-data; boundary=b' })
  expect((await send(PAGE, large)).status).toBe(413)
  const many = new FormData()
  for (let index = 0; index < 6_000; index += 1) many.append('a', '')
  expect((await send(PAGE, many)).status).toBe(413)
  expect((await send(PAGE, new Blob(['x'], { type: 'multipart/form-data; boundary=b' }))).status).toBe(400)
})

it('the page of imports lists warnings by kind, each with its tools, before and after', async () => {
  const warnings = [
    { message: 'It cannot run', tools: 1_039, ids: ['Pets.list@1.0.0', 'Pets.get@1.0.0'] },
    { message: "A search for 'list' finds 'a' first", tools: 1, ids: ['Pets.list@1.0.0'] },
    { message: "A search for 'get' finds 'b' first", tools: 1, ids: ['Pets.get@1.0.0'] },
  ]
  for (const [answer, more] of [
    [MADE, {}],
    [{ skipped: [], ids: ['Pets.list@1.0.0'] }, CHOSEN],
  ] as const) {
    const { post } = setUp({ [IMPORT]: () => ({ ...answer, warnings }) })
    const text = await (await post(PAGE, { ...FIELDS, ...more })).text()
    expect(text).toContain('It cannot run (1)')
    expect(text).toContain('A search for … (2)')
    expect(text).toContain('<strong>Pets.list@1.0.0, Pets.get@1.0.0</strong> and 1,037 more: It cannot run')
  }
  expect(await (await setUp({ [IMPORT]: () => MADE }).post(PAGE, FIELDS)).text()).not.toContain('Warnings')
})

it("the page of imports links from its result to the secret's command, the toolkit and a tool", async () => {
  const message = "The secret 'PETS_KEY' is not set: 'npx wrangler secret put PETS_KEY' sets it"
  const report = {
    ids: ['Pets.list@1.0.0', 'Pets.get@1.0.0'],
    pending: ['Pets.list@1.0.0'],
    skipped: [],
    missing_requirements: { secrets: [{ id: 'PETS_KEY' }] },
    warnings: [{ message, tools: 2, ids: ['Pets.list@1.0.0'] }],
  }
  const text = await (await setUp({ [IMPORT]: () => report }).post(PAGE, { ...FIELDS, ...CHOSEN })).text()
  for (const link of ['#secrets', '/?toolkit=Pets', '/console/tools/Pets.get%401.0.0'])
    expect(text).toContain(`class="button" href="${link}"`)
  expect(text).toMatch(/class="copyable"[^>]*><pre[^>]*>npx wrangler secret put PETS_KEY</)
})

it('the page of imports says which imported tools wait for review', async () => {
  const made = { skipped: [], ids: ['Pets.list@1.0.0', 'Pets.get@1.0.0'], pending: ['Pets.get@1.0.0'] }
  const text = await (await setUp({ [IMPORT]: () => made }).post(PAGE, { ...FIELDS, ...CHOSEN })).text()
  expect(text).toContain('1 of them waits for')
  expect(text).toContain('href="/console/versions?toolkit=Pets"')
  const none = await setUp({ [IMPORT]: () => ({ ...made, pending: undefined }) }).post(PAGE, {
    ...FIELDS,
    ...CHOSEN,
  })
  expect(await none.text()).not.toContain('>review<')
})

it('the page of imports shows breaking changes first, and offers to deprecate tools that are gone from the source', async () => {
  const breaking = ["Parameter 'a' is now required"]
  const tools = [{ id: 'Pets.list@2.0.0', state: 'changed', method: 'GET', path: '/', breaking }]
  const plan = { tools, skipped: [], gone: ['Pets.old@1.1.0'] }
  const changes: unknown[] = []
  const { post } = setUp({
    [IMPORT]: ({ url }) => (url.includes('dry_run') ? plan : { ids: ['Pets.list@2.0.0'], skipped: [] }),
    'GET /tools/Pets.old/versions': () => ({
      items: ['active', 'active', 'yanked'].map((status, minor) => ({ id: `Pets.old@1.${2 - minor}.0`, status })),
    }),
    'PATCH /tools/Pets.old%401.2.0': async (request) => changes.push(await request.json()) && {},
    'PATCH /tools/Pets.old%401.1.0': async (request) => changes.push(await request.json()) && {},
  })
  const text = await (await post(PAGE, FIELDS)).text()
  expect(text).toMatch(/<strong>1<\/strong> breaking<\/li><li><strong>1<\/strong> no longer in the source/)
  expect(text).toMatch(/<li class="changed breaking">.*breaks callers: Parameter &#39;a&#39; is now required/)
  expect(text).toMatch(/<input type="checkbox" name="gone" value="Pets.old@1.1.0"\/>/)
  const imported = await post(PAGE, { ...FIELDS, ...CHOSEN, gone: 'Pets.old@1.1.0' })
  expect(await imported.text()).toContain('1 tool imported.</strong> 1 tool deprecated.')
  expect(changes).toHaveLength(2)
  expect(changes[0]).toMatchObject({ status: 'deprecated', message: expect.stringContaining('no longer') })
  const only = await post(PAGE, { ...FIELDS, do: 'import', gone: 'Pets.other@1.0.0' })
  expect(await only.text()).toMatch(
    /There is nothing here[^]*0 tools imported[^]*value="Pets.other@1.0.0" checked[^]*Try these again/,
  )
})

it('an import of the console that fails keeps its choices, names the failed tools with the reason, and can retry them', async () => {
  const answers = [
    () => Response.json({ message: 'It is full' }, { status: 503 }),
    () => ({ ids: ['Pets.list@1.0.0'], skipped: [{ name: 'get-it', reason: 'It is odd' }] }),
    () => ({ ids: ['Pets.get_it@1.0.0'], skipped: [] }),
  ]
  const { send, asked } = setUp({
    [IMPORT]: () => answers.shift()?.(),
    'GET /tools/Pets.old/versions': () => ({ items: [] }),
  })
  const form = new FormData()
  const fields = [
    ...Object.entries({ ...FIELDS, ...CHOSEN }),
    ['tool:0', 'get_it'],
    ['gone', 'Pets.old@1.0.0'],
  ] as const
  for (const [name, value] of fields) form.append(name, value)
  const full = await send(PAGE, form)
  expect(full.status).toBe(503)
  let text = await full.text()
  const resend = async () => {
    const picker = /<form [^>]*class="picker">([^]*?)<\/form>/.exec(text)?.[1] ?? ''
    const again = new FormData()
    for (const [, name = '', value = ''] of picker.matchAll(/name="([^"]+)" value="([^"]*)"/g))
      if (name !== 'do')
        again.append(
          name,
          value.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
        )
    again.append('do', 'import')
    text = await (await send(PAGE, again)).text()
  }
  expect(text).toMatch(/Not done yet[^]*It is full[^]*>list<[^]*>get_it<[^]*Try these again/)
  await resend()
  expect(text).toMatch(/1 tool imported[^]*Not done yet[^]*It is odd[^]*>get_it</)
  await resend()
  expect(text).toContain('1 tool imported')
  expect(text).not.toContain('Not done yet')
  const imports = asked.filter(({ request }) => request.url.includes('/toolkits/import'))
  const [first, ...others] = imports.map(({ body }) => JSON.parse(body))
  expect(others).toEqual([first, { ...first, tools: ['get_it'] }])
})

it('the preview of an import links back to its form, with the entered values', async () => {
  const { post, asked } = setUp({})
  const text = await (await post(PAGE, { ...FIELDS, ...CHOSEN, do: 'edit' })).text()
  expect(text).toContain('https://pets.test/openapi.json</textarea>')
  expect(asked).toEqual([])
})

it('the preview of 1,223 operations has less than 400 kB', async () => {
  const tools = Array.from({ length: 1_223 }, (_, index) => ({
    id: `GitHub.actions_add_custom_labels_to_self_hosted_runner_${index}@1.1.4`,
    state: 'new',
    method: 'POST',
    path: '/orgs/{org}/actions/runners/{runner_id}/labels',
    tags: ['actions'],
  }))
  const page = await setUp({ [IMPORT]: () => ({ tools, skipped: [] }) }).post(PAGE, FIELDS)
  expect((await page.text()).length).toBeLessThan(400_000)
})

it('the page of imports shows the added providers, and the bodies for an administrator to add the others, with markup escaped', async () => {
  const provider = { id: 'pets', kind: 'api_key', schemes: ['<i>key'], state: 'new', body: { name: '<b>Pets' } }
  const oauth = { id: 'pets oauth', kind: 'oauth2', schemes: ['oauth'], state: 'missing', body: { client_id: 'C' } }
  const { post, asked } = setUp({ [IMPORT]: () => ({ ...MADE, providers: [provider, oauth] }) })
  const text = await (await post(PAGE, { ...FIELDS, 'input/credentials': '1' })).text()
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ credentials: 'per-user' })
  expect(text).toContain('is added by the import')
  expect(text).toContain('PUT /providers/pets%20oauth')
  expect(text).toContain('&quot;client_id&quot;')
  expect(text).not.toMatch(/<b>Pets|<i>key/)
})
