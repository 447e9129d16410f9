import { expect, it } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../src/core/access/principal.ts'
import { setUp } from './set-up.ts'

const ROUTES = { 'GET /tools': () => ({ items: [] }), 'GET /toolkits': () => ({ items: [] }) }
const TOOL = {
  'GET /tools/Mail.Send': () => ({
    name: 'Mail_Send',
    description: 'Sends',
    input_schema: { type: 'object' },
    output_schema: null,
    document: {},
    losses: [],
  }),
  'GET /tools/Mail.Send/readiness': () => ({
    tool: 'Mail.Send@1.0.0',
    ready: true,
    status: { state: 'active' },
    problems: [],
  }),
  'GET /tools/Mail.Send/versions': () => ({ items: [] }),
}

it('the sidebar has the pages in four groups, and only those that the visitor may open', async () => {
  const groups = (text: string) => [...text.matchAll(/<p>(\w+)<\/p><ul>/g)].map(([, name]) => name)
  const links = (text: string) => [...text.matchAll(/<li><a href="(\/[^"?]*)"/g)].map(([, path]) => path)
  const all = await (await setUp(ROUTES, ADMIN).get('/')).text()
  expect(groups(all)).toEqual(['Tools', 'Activity', 'People', 'Settings'])
  expect(links(all)).toContain('/console/keys')
  const anybody = await (await setUp(ROUTES, ANONYMOUS).get('/')).text()
  expect(groups(anybody)).toEqual(['Tools'])
  expect(links(anybody)).toEqual(['/', '/console/connect', '/docs', '/docs/reference'])
})

it('the sidebar marks the current page, and a page below another has a link back', async () => {
  const keys = await (await setUp({ 'GET /keys': () => ({ items: [] }) }).get('/console/keys')).text()
  expect(keys).toContain('<a href="/console/keys" aria-current="page">API keys</a>')
  expect(keys.match(/" aria-current=/g)).toHaveLength(1)
  expect(keys).not.toContain('Breadcrumbs')
  const tool = await (await setUp(TOOL).get('/console/tools/Mail.Send')).text()
  expect(tool).toContain('<a href="/" aria-current="true">Catalog</a>')
  expect(tool).toMatch(
    /<nav aria-label="Breadcrumbs"><ol class="crumbs"><li><a href="\/">Catalog<\/a><\/li><li><a href="\/\?toolkit=Mail">Mail<\/a><\/li><li aria-current="page">/,
  )
})

it('the page that connects agents mentions no key on a deployment that needs none', async () => {
  const text = await (await setUp({}, { ...ADMIN, id: 'open' }).get('/console/connect')).text()
  expect(text).toContain('<pre>claude mcp add --transport http switchboard https://switchboard.test/mcp</pre>')
})

it('the page that connects agents has the MCP URL, and the setup of each client', async () => {
  const text = await (await setUp({}).get('/console/connect')).text()
  expect(text).toContain('<pre>https://switchboard.test/mcp</pre>')
  for (const client of ['Claude Code', 'Cursor', 'VS Code']) expect(text).toContain(`<summary>${client}</summary>`)
  expect(text).not.toContain('workers.dev')
  const groups = [...text.matchAll(/<details class="fold"( open="")?><summary><h2 id="[\w-]+">([^<]+)/g)]
  expect(groups.map(([, open, group]) => [group, open !== undefined])).toEqual([
    ['Apps', true],
    ['Editors', false],
    ['JavaScript and APIs', false],
    ['Python', false],
    ['Local servers only', false],
  ])
})

it('the sidebar counts versions that wait for review, for reviewers, and never delays or breaks a page', async () => {
  const countOf = async (answer: () => unknown, visitor: Principal = ADMIN) => {
    const page = await setUp({ ...ROUTES, sidebar: answer }, visitor).get('/')
    const text = await page.text()
    expect([page.status, text.includes('limit=9')]).toEqual([200, false])
    return />Versions<span class="pending-count"[^>]*>([^<]*)<\/span><\/a>/.exec(text)?.[1]
  }
  const items = Array.from({ length: 9 }, () => ({}))
  expect(await countOf(() => ({ items: items.slice(7) }))).toBe('2')
  expect(await countOf(() => ({ items, next_cursor: 'n' }))).toBe('9+')
  expect(await countOf(() => ({ items: [] }))).toBeUndefined()
  expect(await countOf(() => Response.json({ message: 'No' }, { status: 503 }))).toBeUndefined()
  const fail = () => Promise.reject(new Error('Broken'))
  expect(await countOf(fail)).toBeUndefined()
  const asked: string[] = []
  await countOf(() => asked.push('x'), { ...ADMIN, scopes: ['tools:read'] })
  expect(asked).toEqual([])
})
