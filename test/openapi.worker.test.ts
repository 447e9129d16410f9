import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../src/app.ts'
import { composeDeployment } from '../src/compose/deployment.ts'
import { openApiDocument } from '../src/api/openapi/document.ts'
import { documentedApi, listOperations } from '../src/api/openapi/operations.ts'
import { type Env, loadConfig } from '../src/env.ts'
import { build } from './fixtures/generated/build.ts'

const variables = { ACCESS: 'open', LOG_CALLS: 'none' }
const bindings: Env = { ...env, ...variables }
const config = loadConfig(Object.assign({ ...bindings }, variables))
const app = await createApp(bindings, composeDeployment(bindings, config, build))
const routed = listOperations(app.routes)
const documented = routed.filter(({ operation }) => operation.summary !== undefined)

beforeAll(() => void vi.spyOn(console, 'log').mockReturnValue())

async function get(path: string): Promise<Response> {
  return app.fetch(new Request(`http://localhost${path}`), bindings, createExecutionContext())
}

it('the document has every route of the app except pages for people, and nothing else', async () => {
  const declared = documented.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(declared.length).toBeGreaterThan(60)
  const api = await documentedApi(app.routes, { fields: {}, examples: {} })
  const { paths } = openApiDocument(api, { origin: 'https://sb.example', version: '1.0.0' })
  const found = Object.entries(Object(paths)).flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(new Set(found)).toEqual(new Set(declared))
  const pages = routed.filter(({ operation }) => operation.summary === undefined)
  const isPage =
    /^\/(?:console\b.*|docs(?:\/:guide|\/reference(?:\/:group)?)?|sign-.*|authorizations\/.*|oauth\/callback|connect\/authorize|favicon\.ico)?$/
  // The route that tools are posted to declares the list
  const others = pages.filter(({ path }) => !isPage.test(path)).map(({ path }) => path)
  expect(others).toEqual(['/machine-context/tools'])
})

it('the document describes the responses of each route', () => {
  expect(documented.filter(({ operation }) => !operation.responses).map(({ path }) => path)).toEqual([])
})

it('the document has the parameters that routes declare, as they are read', async () => {
  const { paths, servers } = await (await get('/openapi.json')).json<any>()
  expect(servers).toEqual([{ url: 'http://localhost' }])
  for (const { method, path, operation } of documented) {
    const { parameters = [] } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const named = parameters.filter((each: any) => each.in === 'query').map(({ name }: any) => name)
    const isForTools = operation.scope === 'tools:read' || operation.scope === 'tools:call'
    expect(named).toEqual([...operation.query.names, ...(isForTools ? ['toolset', 'lock'] : [])])
  }
  const of = (path: string, name: string) => paths[path].get.parameters.find((each: any) => each.name === name)
  expect(of('/tools', 'limit').schema).toEqual({ type: 'integer', minimum: 1, maximum: 1_000 })
  expect(of('/tools', 'versions').schema).toEqual({ enum: ['newest', 'all'] })
  expect(paths['/convert'].post.parameters).toMatchObject([
    { name: 'toolkit', required: false },
    { name: 'version', required: false },
    { name: 'to', required: true },
    { name: 'from', required: false },
    { name: 'toolset', required: false },
    { name: 'lock', required: false },
  ])
  expect(paths['/keys'].post.security).toEqual([{ bearer: ['admin'] }, { key: ['admin'] }])
  expect(paths['/llms.txt'].get.security).toEqual([])
  expect(paths['/keys'].post.requestBody.content['application/json'].schema).toMatchObject({
    required: ['name', 'scopes'],
    additionalProperties: false,
    properties: { name: { type: 'string', maxLength: 100 } },
  })
})

it('the document is also a page with each operation, which can be read without its script', async () => {
  const response = await get('/docs/reference')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  const text = await response.text()
  expect(text).not.toMatch(/<script [^>]*src|https?:\/\/(?!localhost)/)
  const groups = new Set([...text.matchAll(/"(\/docs\/reference\/[\w-]+)"/g)].map(([, href = '']) => href))
  expect(groups.size).toBeGreaterThan(10)
  const pages = await Promise.all([...groups].map(async (href) => (await get(href)).text()))
  // Old links to an operation, from before it had its own page, must still work
  for (const { method, path } of documented) {
    const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}</code>`
    expect(text).toContain(name)
    expect(pages.filter((page) => page.includes(`<code>${name}`))).toHaveLength(1)
  }
  for (const page of [text, ...pages]) expect(page.length).toBeLessThan(65_000)
  expect((await get('/docs/reference/nothing')).status).toBe(404)
  expect(text).toMatch(/<a rel="prev" href="\/docs\/performance">[^]*<a rel="next" href="\/docs\/reference\/tools">/)
  expect(pages[0]).toContain('<a href="/docs/reference/tools" aria-current="page">')
})
