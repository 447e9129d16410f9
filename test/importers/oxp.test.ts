import { afterEach, expect, test } from 'vitest'
import type { ImportRequest } from '../../src/core/publish/import.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { importerOf } from '../runners/remote/set-up.ts'
import { readAll } from './reading.ts'

let server: Upstream | undefined
afterEach(() => server?.close())

const definition = (id: string, more: object = {}) => ({
  id,
  name: id.replace(/@.*/, '').replace('.', '_'),
  description: 'A tool',
  version: id.split('@')[1],
  input_schema: { parameters: { type: 'object', properties: { a: { type: 'number', description: 'A number' } } } },
  output_schema: { type: 'number' },
  ...more,
})

async function listing(page: (query: URLSearchParams) => unknown, request: Partial<ImportRequest> = {}) {
  server = await startUpstream(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(page(new URL(url, 'http://any').searchParams)))
  })
  const importer = importerOf('oxp', server.host)
  return readAll(importer, { source: `${server.origin}/oxp`, ...request })
}

test('the tools of an OXP server are read from all pages, nested and flat, and keep calling the imported version', async () => {
  const flat = { type: 'object', properties: {} }
  const { tools, skipped } = await listing((query) =>
    query.get('cursor') === 'two'
      ? { items: [definition('Text.Upper@1.0.0', { input_schema: flat })] }
      : { items: [definition('Math.Add@1.2.0')], next_cursor: 'two' },
  )
  expect(skipped).toEqual([])
  expect(server?.arrived.map(({ url }) => url)).toEqual(['/oxp/tools', '/oxp/tools?cursor=two'])
  expect(
    tools.map(({ definition: { toolkit, tool, name }, implementation }) => [
      toolkit,
      tool,
      name,
      implementation['tool'],
    ]),
  ).toEqual([
    ['There', 'Math_Add', 'Math_Add', 'Math.Add@1.2.0'],
    ['There', 'Text_Upper', 'Text_Upper', 'Text.Upper@1.0.0'],
  ])
  expect(tools[0]?.definition.input).toMatchObject({ properties: { a: { type: 'number' } } })
  expect(tools[1]?.definition.input).toEqual(flat)
})

test('the tools of an OXP server with one toolkit keep their names', async () => {
  const items = [definition('Math.Add@1.2.0'), definition('Text.Upper@1.0.0')]
  const { tools } = await listing(() => ({ items }), { options: { upstream_toolkit: 'Math' } })
  expect(tools.map(({ definition: each }) => each.tool)).toEqual(['Add'])
  expect(server?.arrived[0]?.url).toBe('/oxp/tools?toolkit=Math')
})

test('the tools of an OXP server require what their credentials need, and a user only if it is passed on', async () => {
  const requirements = { secrets: [{ id: 'THEIRS' }], authorization: [{ id: 'google' }], user_id: true }
  const page = () => ({ items: [definition('Math.Add@1.2.0', { requirements }), definition('Math.Sub@1.0.0')] })
  const plain = await listing(page)
  await server?.close()
  expect(plain.tools[0]?.definition.requirements).toEqual({ secrets: [], authorization: [], user_id: false })
  const credentials = { secret: 'KEY', name: 'OXP-API-Key' }
  const secret = () => ({ value: 's3cret-value' })
  const passing = await listing(page, { secret, options: { credentials, pass_user: true } })
  expect(passing.tools.map(({ definition: each }) => each.requirements)).toEqual([
    { secrets: [{ id: 'KEY' }], authorization: [], user_id: true },
    { secrets: [{ id: 'KEY' }], authorization: [], user_id: false },
  ])
  expect(server?.arrived[0]?.headers).toMatchObject({ 'oxp-api-key': 's3cret-value' })
  expect(passing.tools[0]?.implementation).toMatchObject({ pass_user: true })
})

test('the tools of an OXP server that are invalid are skipped with the reason', async () => {
  const items = [
    definition('Math.Add@1.2.0'),
    definition('Math.Add@1.1.0'),
    definition('Math.Bad@1.0.0', { input_schema: { parameters: { type: 'array' } } }),
    definition('nonsense'),
    null,
  ]
  const { tools, skipped } = await listing(() => ({ items }))
  expect(tools).toHaveLength(1)
  expect(skipped.map(({ name }) => name).toSorted()).toEqual(['Math.Add@1.1.0', 'Math.Bad@1.0.0', 'tool 3', 'tool 4'])
})

test.each<[string, (query: URLSearchParams) => unknown, string]>([
  ['lists 10,000 tools', () => ({ items: Array(10_000).fill(null) }), 'more than 5000 tools'],
  ['never ends', (query) => ({ items: [], next_cursor: `${query.get('cursor')}x` }), 'more than 100 pages'],
  ['goes in a circle', () => ({ items: [], next_cursor: 'again' }), 'a cursor twice'],
  ['answers something else', () => [1, 2], 'not OXP'],
])('a server that %s is refused', async (_, page, said) => {
  const { problems } = await listing(page)
  expect(problems).toEqual([{ path: '/from/oxp', message: expect.stringContaining(said) }])
})
