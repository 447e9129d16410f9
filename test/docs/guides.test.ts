import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { createDocsRoutes } from '../../src/docs/routes.ts'
import { searchDocs } from '../../src/docs/search.ts'
import { GUIDE_GROUPS } from '../../src/docs/frame.tsx'
import { EXAMPLE_ORIGIN } from '../../src/docs/agent-hosts.ts'
import { fail } from '../../src/core/failure/failure.ts'
import { parseValue, toJsonSchema } from '../../src/core/tool/json-reader.ts'
import { httpImplementation } from '../../src/runners/http/implementation.ts'
import { readGuides } from '../../src/node/guides.ts'

const ORIGIN = 'https://tools.acme.com'
const alerts = readFileSync(new URL('../../src/docs/alerts.yml', import.meta.url), 'utf8')
const all = await readGuides(fileURLToPath(new URL('../../src/docs', import.meta.url)))

function get(path: string, limited = false) {
  const router = createDocsRoutes({
    caching: 'public, max-age=300',
    listSkills: async () => [],
    loadReference: async () => [
      { href: '/docs/reference/api-keys#get_keys', guide: 'API reference', title: 'GET /keys', text: 'List API keys.' },
    ],
    loadDocs: async () => ({
      guides: all,
      files: { 'alerts.yml': alerts, 'dashboard.json': '{}' },
      style: '',
      reference: { fields: {}, examples: {} },
    }),
    limitAnonymous: () => (limited ? fail({ type: 'rate-limited', retry_after_ms: 1 }) : undefined),
    respond: (failure) => Response.json(failure, { status: 429 }),
  })
  return router.request(`${ORIGIN}${path}`)
}

it('the search of the docs splits a section into words once, however often it is searched', () => {
  let reads = 0
  const section = (number: number) => ({
    href: `/${number}`,
    guide: 'G',
    title: `T ${number}`,
    text: `word number${number}`,
  })
  const sections = Array.from({ length: 50 }, (_, number) => section(number))
  const cut = vi.spyOn(String.prototype, 'split').mockName('split')
  searchDocs(sections, 'nothing that is there')
  reads = cut.mock.calls.length
  searchDocs(
    sections.map((each) => ({ ...each })),
    'nothing that is there',
  )
  const again = cut.mock.calls.length - reads
  cut.mockRestore()
  expect(reads).toBeGreaterThan(100)
  expect(again).toBeLessThan(5)
})

it('every guide is served: each Markdown file next to the routes', () => {
  const files = readdirSync(new URL('../../src/docs', import.meta.url)).filter((file) => file.endsWith('.md'))
  expect(all.map(({ name }) => `${name}.md`)).toEqual(files.sort())
})

it.each(all)('every guide $name begins with a heading, and what a reader can do afterwards', ({ title, summary }) => {
  expect(title).not.toBe('')
  expect(summary).toMatch(/^After reading this you can /)
})

it.each(all)('every guide $name links to the reference', ({ text }) => {
  expect(text).toContain('](/docs/reference)')
})

it.each(all)('every guide $name uses only Markdown that is rendered, and its links are valid', ({ name, text }) => {
  const prose = text
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(EXAMPLE_ORIGIN, 'https://example.dev')
  expect(prose).not.toMatch(/^ *(?:\d+\. |> |#{4,} |\* |\t| {2,}- )|<\w|!\[|(?<!\*)\*(?!\*)\w/m)
  for (const [, href = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
    if (/^(?:https:\/\/|\/docs\/reference$)/.test(href)) continue
    const [, sibling = name, anchor] = /^(?:([\w-]+)\.md)?(?:#(.+))?$/.exec(href) ?? [href, href]
    const anchors = all.find((each) => each.name === sibling)?.contents.map((heading) => heading.anchor)
    expect(anchors, `${name}: ${href}`).toEqual(
      anchor === undefined ? expect.any(Array) : expect.arrayContaining([anchor]),
    )
  }
})

it.each(all)(
  'every guide $name is served as a page and a text, with the address of the deployment',
  async ({ name, text }) => {
    const html = await get(`/docs/${name}`)
    expect(html.status).toBe(200)
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html.headers.get('content-security-policy')).toContain("default-src 'none'")
    const shown = await html.text()
    if (text.includes(EXAMPLE_ORIGIN)) expect(shown).toContain(ORIGIN)
    expect(shown).not.toMatch(/switchboard\.(?:<|&lt;)you/)
    const markdown = await get(`/docs/${name}.md`)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await markdown.text()).toBe(text.replaceAll(EXAMPLE_ORIGIN, ORIGIN))
  },
)

it('each page links to every guide, in one group each, and marks the current one', async () => {
  const names = Object.values(GUIDE_GROUPS).flat()
  expect(names.toSorted()).toEqual(all.map(({ name }) => name).toSorted())
  for (const path of ['/docs', '/docs/calls']) {
    const shown = await (await get(path)).text()
    for (const each of [...names, 'reference']) expect(shown).toContain(`<a href="/docs/${each}"`)
  }
  expect(await (await get('/docs/calls')).text()).toContain('<a href="/docs/calls" aria-current="page">')
})

it('each page links to the previous and the next one', async () => {
  const shown = await (await get('/docs/calls')).text()
  expect(shown).toMatch(/<a rel="prev" href="\/docs\/agents">[^]*<a rel="next" href="\/docs\/client">/)
  expect(await (await get('/docs/agents')).text()).not.toContain('rel="prev"')
  expect(await (await get('/docs/performance')).text()).toContain('<a rel="next" href="/docs/reference">')
})

it('each page has blocks to copy, headings to link to, and no script but its own', async () => {
  const response = await get('/docs/publish')
  const shown = await response.text()
  expect(shown.match(/<pre>/g)).toHaveLength((shown.match(/<div class="copyable"><pre>/g) ?? []).length)
  expect(shown).toContain('<h2 id="a-plugin"><a class="anchor" href="#a-plugin">A plugin</a></h2>')
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/script-src 'nonce-[\w-]+'; connect-src 'self'; form-action 'self'/)
  expect(shown).not.toMatch(/ on\w+=|<script[^>]* src|style="/)
})

const search = async (q: string) => (await get(`/docs?q=${encodeURIComponent(q)}`)).text()

it('a search finds sections by all of its words, those with a word in the heading first, and keeps the query', async () => {
  const shown = await search('large outputs')
  expect(shown).toContain('name="q" value="large outputs"')
  const found = [...shown.matchAll(/<li><a href="(\/docs\/[\w-]+#[\w-]+)">/g)].map(([, href]) => href)
  expect(found.slice(0, 2).toSorted()).toEqual(['/docs/calls#large-outputs', '/docs/operate#files-and-large-outputs'])
  expect(shown).not.toMatch(/switchboard\.(?:<|&lt;)you/)
})

it('a search knows other forms of words, and finds text and code', async () => {
  expect(await search('rotating keys')).toContain('/docs/operate#')
  expect(await search('bearer_token_env_var')).toContain('/docs/agents#codex')
})

it('a search ignores stop words, knows synonyms, and shows sections with most of the words', async () => {
  expect(await search('how do I rotate a key')).toContain('/docs/operate#')
  expect(await search('erase a person')).toMatch(/delete/i)
  expect(await search('idempotency')).toContain('/docs/calls#')
  const partial = await search('rotate a zebra')
  expect(partial).toContain('These have most of them')
  expect(partial).toContain('/docs/operate#')
})

it('a search finds operations of the API next to guides', async () => {
  expect(await search('list api keys')).toContain(
    '<a href="/docs/reference/api-keys#get_keys">API reference: GET /keys</a>',
  )
})

it('a search without results says so, and shows the query as text', async () => {
  const shown = await search('<zebra>')
  expect(shown).toContain('No section has any of these words')
  expect(shown).not.toContain('<zebra')
  expect((await get(`/docs?q=${'a'.repeat(300)}`)).status).toBe(400)
})

it('the root of the deployment redirects to the list of guides', async () => {
  const { status, headers } = await get('/')
  expect([status, headers.get('location')]).toEqual([302, '/docs'])
})

it('the list of guides links to each guide', async () => {
  const shown = await (await get('/docs')).text()
  for (const { name } of all) expect(shown).toContain(`href="/docs/${name}"`)
  const listed = [...shown.matchAll(/<li><a href="\/docs\/([\w-]+)">[^<]*<\/a><p>/g)].map(([, name]) => name)
  expect(listed).toEqual(Object.values(GUIDE_GROUPS).flat())
})

it('the list of guides is in llms.txt, with a summary of each', async () => {
  const response = await get('/llms.txt')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const text = await response.text()
  // https://llmstxt.org: a heading, a summary as a quote, and lists of links under second-level headings
  expect(text).toMatch(/^# Switchboard\n\n> [^]+?\n\n## Guides\n\n(?:- \[.+\]\(https:\/\/.+\): .+\n)+\n## /)
  const inOrder = Object.values(GUIDE_GROUPS).flatMap((names) =>
    names.flatMap((name) => all.filter((each) => each.name === name)),
  )
  const links = inOrder.map(({ name, title, summary }) => `- [${title}](${ORIGIN}/docs/${name}.md): ${summary}`)
  expect(text).toContain(`\n${links.join('\n')}\n`)
  expect(links).toHaveLength(all.length)
})

it('an unknown guide is a page that says so', async () => {
  for (const path of ['/docs/nowhere', '/docs/nowhere.md', '/docs/.md', '/docs/agents.md.md']) {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
})

it('files for other programs are served unchanged, except for the address of the deployment', async () => {
  const rules = await get('/docs/alerts.yml')
  expect(rules.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await rules.text()).toBe(alerts.replaceAll(EXAMPLE_ORIGIN, ORIGIN))
  const dashboard = await get('/docs/dashboard.json')
  expect(dashboard.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect((await get('/docs/constructor')).status).toBe(404)
})

it('the configuration of each host is available as JSON', async () => {
  const { hosts } = JSON.parse(await (await get('/docs/agents.json')).text())
  expect(hosts.length).toBeGreaterThan(10)
  expect(hosts).toContainEqual({
    id: 'codex',
    title: 'Codex',
    group: 'Apps',
    where: expect.any(String),
    file: { user: '.codex/config.toml' },
    snippet: { language: 'toml', text: expect.stringContaining(`url = "${ORIGIN}/mcp"`) },
    signIn: { language: 'sh', text: expect.stringContaining(`--url ${ORIGIN}/connect/mcp`) },
  })
})

it('a long guide has a table of contents, and a short one has none', async () => {
  const operate = await (await get('/docs/operate')).text()
  expect(operate).toContain('On this page')
  for (const [, anchor] of operate.matchAll(/<li><a href="#([^"]+)"/g)) expect(operate).toContain(`id="${anchor}"`)
  expect(await (await get('/docs/settings')).text()).not.toContain('On this page')
})

it('the list of guides describes each in whole sentences with different beginnings', async () => {
  const text = await (await get('/docs')).text()
  expect(text).not.toContain('After reading this')
  expect(text).toContain('To give the tools of a Switchboard to any agent')
  expect(text).toContain('<code>fetch</code>')
  for (const [, summary = ''] of text.matchAll(/<li><a href="\/docs\/[^]*?<p>([^]*?)<\/p>/g))
    expect(summary).toMatch(/[.!?]$/)
})

it('readers are rate limited', async () => {
  expect((await get('/docs/agents', true)).status).toBe(429)
})

it('the guide to publishing describes each field of an HTTP implementation, and shows a valid one', () => {
  const { text = '' } = all.find(({ name }) => name === 'publish') ?? {}
  const fields = Object.keys(Object(toJsonSchema(httpImplementation)).properties)
  const rows = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| .*$/gm)].map(([, names = '']) =>
    names.replaceAll('`', ''),
  )
  expect(rows.flatMap((names) => names.split(', '))).toEqual(expect.arrayContaining(fields.slice(1)))
  const [, shown = '{}'] = /^```json\n(\{\n {2}"kind": "http"[^]*?)\n```$/m.exec(text) ?? []
  expect(parseValue(httpImplementation, JSON.parse(shown))).toMatchObject({ ok: true })
})
