import { expect, it } from 'vitest'
import { ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { type Routes, setUp } from '../set-up.ts'

const TOOL = { id: 'Mail.Send@1.0.0', name: 'Mail_Send', description: 'Sends', version: '1.0.0' }
const BETA = { id: 'Mail.Read@2.0.0-beta.1', name: 'Mail_Read', description: 'Reads', version: '2.0.0-beta.1' }
const READER: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] }

function world(items: readonly object[], more: Routes = {}, visitor?: Principal) {
  const lists = (request: Request) =>
    new URL(request.url).searchParams.get('status') === 'pending' ? { items: [] } : { items }
  return setUp({ 'GET /tools': lists, 'GET /toolkits': () => ({ items: [] }), ...more }, visitor)
}

it('the catalog has a card for a tool with only prereleases, and says so', async () => {
  const text = await (await world([TOOL, BETA]).get('/')).text()
  expect(text).toContain('href="/console/tools/Mail.Read"')
  expect(text).toContain('2.0.0-beta.1</span><span class="note">, a pre-release')
  expect(text.match(/a pre-release/g)).toHaveLength(1)
})

it("the catalog shows a tool's title as heading, with the id below, complete in its tooltip", async () => {
  const text = await (await world([{ ...TOOL, title: 'Send” <b>a mail</b>' }, BETA]).get('/')).text()
  expect(text).toMatch(/<a href="\/console\/tools\/Mail\.Send"><bdi>Send” &lt;b&gt;a mail&lt;\/b&gt;<\/bdi><\/a>/)
  expect(text).toContain('<span class="id" title="Mail.Send">')
  expect(text.match(/<bdi/g)).toHaveLength(1)
  const id = `Mail.${'x'.repeat(60)}_to_everybody`
  const long = await (await world([{ ...TOOL, id: `${id}@1.0.0`, title: 'Long' }]).get('/')).text()
  // In two parts, of which the first gives way, and as one when it is copied
  expect(long).toContain(`title="${id}"><span>Mail.${'x'.repeat(59)}</span>x_to_everybody</span>`)
})

it('the catalog shows no version if all tools of the page have the same', async () => {
  const versions = async (items: readonly object[]) =>
    [...(await (await world(items).get('/')).text()).matchAll(/<span class="note">([\d.]+)<\/span>/g)].map(
      ([, it]) => it,
    )
  expect(await versions([TOOL, { ...TOOL, id: 'Mail.Read@1.0.0' }])).toEqual([])
  expect(await versions([TOOL, { ...TOOL, id: 'Mail.Read@1.0.1', version: '1.0.1' }])).toEqual(['1.0.0', '1.0.1'])
})

it('the catalog lists more than fifty tools as a table, grouped by their first tag, with description and level', async () => {
  const tools = Array.from({ length: 60 }, (_, n) => ({
    ...TOOL,
    id: `Mail.T${n}@1.0.0`,
    title: `Tool ${n}`,
    tags: [n % 2 === 0 ? 'even' : 'odd'],
    security_level: n < 40 ? 0 : n < 50 ? 4 : 8,
    ...(n === 0 ? { read_only: true } : n === 1 ? { destructive: true } : {}),
  }))
  const text = await (await world(tools).get('/?toolkit=Mail')).text()
  const rows = [...text.matchAll(/<tr(?: class="group")?>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  expect(rows.slice(0, 3)).toEqual([
    'Tool Kind Access',
    'even',
    expect.stringMatching(/^Tool 0 Mail\.T0 Reads Anybody$/),
  ])
  expect(rows.indexOf('odd')).toBe(32)
  expect(rows[33]).toMatch(/^Tool 1 Mail\.T1 Can delete Anybody$/)
  expect([
    rows.filter((row) => row.endsWith('name it')).length,
    rows.filter((row) => row.endsWith('approval')).length,
  ]).toEqual([10, 10])
  // Ranks tell more than tags
  expect(await (await world(tools).get('/?q=tool')).text()).not.toContain('class="group"')
})

it('the catalog has one search field', async () => {
  const text = await (await world([TOOL]).get('/')).text()
  expect(text.match(/<input type="search"/g)).toHaveLength(1)
})

it('the catalog shows a title once if the description begins with it', async () => {
  const told = (description: string) => world([{ ...TOOL, title: 'Sends', description }, BETA]).get('/')
  expect(await (await told('Sends\n\nA mail')).text()).toContain('<p dir="auto">A mail</p>')
  expect(await (await told('Sends')).text()).toContain('<p dir="auto"></p>')
  expect(await (await told('Sends mails')).text()).toContain('<p dir="auto">Sends mails</p>')
})

it("the catalog shows a tool's icon, and requests it only from this deployment", async () => {
  const path = '/tools/Mail.Send%401.0.0/icon'
  const text = await (await world([{ ...TOOL, icon: path }, BETA]).get('/')).text()
  expect(text.match(/<img[^>]*>/g)).toEqual([
    `<img class="icon" src="${path}" alt="" loading="lazy" decoding="async"/>`,
  ])
})

it('the catalog lists all versions on request, each with its own page', async () => {
  const { get, asked } = world([TOOL, BETA])
  const text = await (await get('/?versions=all&toolkit=Mail')).text()
  expect(asked[0]?.request.url).toBe('https://switchboard.test/tools?toolkit=Mail&versions=all&format=summary&limit=50')
  expect(text).toContain('href="/console/tools/Mail.Send%401.0.0"')
  expect(text).toContain('Versions 1–2')
  expect(text).toMatch(/name="versions" value="all" checked/)
})

it('the catalog suggests where else to look if nothing was found', async () => {
  const nothing = await (await world([]).get('/?toolkit=Mail')).text()
  for (const href of ['/?toolkit=Mail&amp;versions=all', '/console/versions?toolkit=Mail', '/console/import', '/']) {
    expect(nothing).toContain(`href="${href}"`)
  }
  expect(nothing).toMatch(/<option value="Mail" selected/)
  const reader = await (await world([], {}, READER).get('/?versions=all&q=x')).text()
  expect(reader).not.toMatch(/href="[^"]*(?:versions=all"|console\/(?:versions|import))/)
  expect(await (await world([]).get('/')).text()).toContain('No tools yet.')
})

it('the catalog offers the next page if a page is empty', async () => {
  const { get } = world([], { 'GET /tools': () => ({ items: [], next_cursor: 'n' }) }, READER)
  const text = await (await get('/?versions=all&tag=t')).text()
  expect(text).not.toContain('No tool')
  expect(text).toContain('cursor=n')
})

it('the catalog says that toolkits cannot be listed, and still lists the tools', async () => {
  const away = () => Response.json({ message: 'The registry does not answer' }, { status: 503 })
  const page = await world([TOOL], { 'GET /toolkits': away }).get('/')
  const text = await page.text()
  expect(page.status).toBe(200)
  expect(text).toContain('The toolkits cannot be listed right now: The registry does not answer.')
  expect(text).toContain('/console/tools/Mail.Send')
})

const toolkits = [
  { toolkit: 'Mail', tools: 2, security_level: 0, description: 'Reads **mail** from [Acme](https://acme.example)' },
  { toolkit: 'Calendar', tools: 9, security_level: 0 },
  { toolkit: 'Zed', tools: 1, security_level: 0 },
]
const several = (more: Routes = {}) => world([TOOL, BETA], { 'GET /toolkits': () => ({ items: toolkits }), ...more })
const order = (text: string) => [...text.matchAll(/href="\/\?toolkit=(\w+)">/g)].map(([, name]) => name)

it('the catalog with several toolkits begins with the toolkits, which link to their tools', async () => {
  const { get, asked } = several()
  const text = await (await get('/')).text()
  expect(order(text)).toEqual(['Calendar', 'Mail', 'Zed'])
  expect(text).toContain('12 tools in 3 toolkits.')
  expect(text).toContain('Reads mail from Acme</p>')
  expect(text).toContain('href="/?view=tools"')
  expect(text).not.toContain('/console/tools/')
  expect(asked.map(({ request }) => request.url).filter((url) => /\/tools\?(?!status)/.test(url))).toEqual([])
})

it('the catalog with several toolkits sorts them by their tools, or by their calls', async () => {
  expect(order(await (await several().get('/?sort=tools')).text())).toEqual(['Calendar', 'Mail', 'Zed'])
  const used = { 'GET /usage': () => ({ items: [{ group: { toolkit: 'zed' }, calls: 1_200 }] }) }
  const text = await (await several(used).get('/?sort=calls')).text()
  expect(order(text)).toEqual(['Zed', 'Mail', 'Calendar'])
  expect(text).toContain('1,200 calls this week')
  expect(order(await (await several().get('/?sort=calls')).text())).toHaveLength(3)
})

it('the catalog with several toolkits has pages of them', async () => {
  const items = Array.from({ length: 61 }, (_, index) => ({
    toolkit: `T${100 + index}`,
    tools: 1,
    security_level: 0,
  }))
  const { get } = several({ 'GET /toolkits': () => ({ items }) })
  const text = await (await get('/')).text()
  expect(order(text)).toHaveLength(60)
  expect(text).toContain('href="/?from=61">Next 1</a>')
  expect(order(await (await get('/?from=61')).text())).toEqual(['T160'])
})

it('the catalog with several toolkits lists the tools of one, or of all', async () => {
  const { get, asked } = several()
  const text = await (await get('/?toolkit=mail')).text()
  expect(text).toMatch(/<h1>Mail<\/h1>[^]*<strong>mail<\/strong>[^]*\/console\/tools\/Mail\.Send/)
  expect(text).toMatch(/<option value="Mail" selected/)
  expect(await (await get('/?view=tools')).text()).toContain('/console/tools/Mail.Send')
  expect(asked.map(({ request }) => request.url).join()).not.toContain('view=')
})

it('the catalog counts the tokens of one toolkit at the press of a button, but not for anonymous visitors', async () => {
  const counting = (request: Request) => {
    const tokens = new URL(request.url).searchParams.get('tokens') === 'Mail' ? 1_234 : undefined
    return { items: toolkits.map((each) => (each.toolkit === 'Mail' ? { ...each, tokens } : each)) }
  }
  const { get } = several({ 'GET /toolkits': counting })
  expect(await (await get('/?toolkit=mail')).text()).toMatch(/href="\/\?toolkit=mail&amp;tokens=1">\s*Count tokens/)
  const text = await (await get('/?toolkit=mail&tokens=1')).text()
  expect(text).toContain('1,234 tokens of a model&#39;s context over MCP')
  expect(text).not.toContain('Count tokens')
  expect(await (await get('/')).text()).not.toContain('Count tokens')
  const large = (request: Request) =>
    request.url.includes('tokens=') ? Response.json({ message: 'Too large' }, { status: 409 }) : { items: toolkits }
  const page = await several({ 'GET /toolkits': large }).get('/?toolkit=Mail&tokens=1')
  expect(await page.text()).toMatch(/Too large[^]*\/console\/tools\/Mail\.Send/)
  const anonymous = world([TOOL], { 'GET /toolkits': () => ({ items: toolkits }) }, ANONYMOUS)
  expect(await (await anonymous.get('/?toolkit=Mail')).text()).not.toContain('Count tokens')
})

it('the catalog shows only the best matches of a search, with a link to all of them', async () => {
  const { get, asked } = world([TOOL, BETA], { 'GET /tools': () => ({ items: [TOOL], total: 1_976, relevant: 3 }) })
  const text = await (await get('/?q=mail')).text()
  expect(asked[0]?.request.url).toContain('results=relevant')
  expect(text).toContain('Tool 1 matches best. <a href="/?q=mail&amp;results=all">Show all 1,976 tools</a>')
  const all = await (await get('/?q=mail&results=all')).text()
  expect(asked.at(-1)?.request.url).not.toContain('results=relevant')
  expect(all).toContain('1 of 1,976 tools')
  await get('/?q=mail&versions=all')
  await get('/?toolkit=Mail')
  expect(
    asked
      .slice(2)
      .map(({ request }) => request.url)
      .join(),
  ).not.toContain('results=')
})

it('the catalog does not mention best matches if a search finds no others', async () => {
  const found = () => ({ items: [TOOL, BETA], total: 2, relevant: 2 })
  const text = await (await world([], { 'GET /tools': found }).get('/?q=mail')).text()
  expect(text).toContain('1–2 of 2 tools')
  expect(text).not.toMatch(/match(?:es)? best/)
})

it('the catalog highlights search words in titles and descriptions, which stay plain text', async () => {
  const tool = { ...TOOL, title: 'Sends <b>mails</b>', description: 'Sends a mail & <i>more</i>' }
  const text = await (await world([tool]).get('/?q=send+a+mail')).text()
  expect(text).toContain('<bdi><mark>Sends</mark> &lt;b&gt;<mark>mails</mark>&lt;/b&gt;</bdi>')
  expect(text).toContain('<mark>Sends</mark> a <mark>mail</mark> &amp; &lt;i&gt;more&lt;/i&gt;</p>')
  expect(await (await world([tool]).get('/?toolkit=Mail')).text()).not.toContain('<mark>')
})

it('the catalog names other toolkits that have the same operation, with links to their tools', async () => {
  const same_as = { 'Post.Send@1.2.0': TOOL.id, 'Fax"x.Send@1.0.0': TOOL.id, 'A.B@1.0.0': 'C.B@1.0.0' }
  const text = await (await world([], { 'GET /tools': () => ({ items: [TOOL], same_as }) }).get('/?q=mail')).text()
  expect(text).toContain(
    'Also in <a href="/console/tools/Post.Send">Post</a>, <a href="/console/tools/Fax%22x.Send">Fax&quot;x</a></span>',
  )
  expect(text).not.toContain('A.B')
})
