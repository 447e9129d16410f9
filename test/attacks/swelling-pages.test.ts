import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'public', ADMIN_KEY } })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const nested = (levels: number, held = '') => '['.repeat(levels) + held + ']'.repeat(levels)
const zeros = (count: number) => Array(count).fill('0').join()

it.each([
  ['nests so deep that nothing serializes it', nested(500_000)],
  ['would be set out over a thousand times its size', nested(3_000, zeros(900_000))],
  ['is as wide as it is deep', nested(130, zeros(900_000))],
])('a form gets a page of bounded size if its value %s', async (_, value) => {
  const page = await new HttpPerson().post(
    `${server.url}/console/tools/Calculator.Add`,
    {
      call_id: crypto.randomUUID(),
      whole: `{"a":${value}}`,
    },
    {},
  )
  const { status, text } = page
  expect([status, text.includes('Calculator.Add'), text.length < 20_000_000]).toEqual([200, true, true])
})

const LESS = 3_900_000
// In the encoding of forms, because a body that is too large would be refused while it is sent
const encoded = (unit: string) => new URLSearchParams([['', unit]]).toString().length - 1
const fill = (unit: string, bytes = LESS) => unit.repeat(bytes / encoded(unit))
const fields = (count: number, name: (index: number) => string, unit: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), fill(unit, LESS / count)]))
const at = { tool: '/console/tools/Calculator.Add', import: '/console/import', keys: '/console/keys' }
const more = { policies: '/console/policies', providers: '/console/providers', versions: '/console/versions' }
const toLook = { do: 'look', kind: 'openapi', source: '' }
const description = (text: string) => JSON.stringify({ openapi: '3.1.0', info: { title: text }, paths: {} })

it.each<readonly [string, string, Readonly<Record<string, string>>]>([
  ['of marks that a page spells out', at.tool, { whole: fill('<') }],
  ['of characters that nobody sees', at.tool, { whole: fill('\u202e') }],
  ['of JSON that is no input', at.tool, { whole: `{"a": "${fill("'")}"}` }],
  ['of an account', at.tool, { 'user_id': fill('&'), 'input/a': '1', 'input/b': '2' }],
  ['of names that are no fields', at.tool, fields(60, (index) => `context/${index}`, '"')],
  ['of many fields, none of which is long', at.tool, fields(900, (index) => `input/${index}`, '\u0001')],
  ['of a description that is none', at.import, { ...toLook, 'source': fill('<'), 'input/toolkit': 'X' }],
  ['of a description in quotes', at.import, { ...toLook, 'source': description(fill("'")), 'input/toolkit': 'X' }],
  ['of options', at.import, { ...toLook, 'input/toolkit': 'X', 'input/options': `{"a": "${fill('<')}"}` }],
  ['of what another form kept', at.import, { 'do': 'look', 'kind': 'openapi', 'source.packed': fill('*') }],
  ['of a name', at.keys, { 'do': 'make', 'input/name': fill('\n'), 'input/tools': fill('<', 100_000) }],
  ['of an id', at.keys, { do: 'change', id: fill('/'), etag: fill('"', 100_000) }],
  ['of a pattern', more.policies, { 'do': 'set', 'input/pattern': fill('*') }],
  ['of a revision', more.policies, { 'do': 'set', 'input/pattern': 'Lab.*', 'etag': fill("'") }],
  ['of an issuer', more.providers, { 'do': 'give', 'input/id': 'x', 'input/issuer': fill('>') }],
  ['of a version', more.versions, { id: fill('<'), to: fill('>', 100_000) }],
])('a form of megabytes gets a page of at most a few times its length: %s', async (_, path, sent) => {
  const admin = new HttpPerson()
  await admin.press(await admin.open(`${server.url}/sign-in`), /Sign in/, { key: ADMIN_KEY })
  const { status, text } = await admin.post(server.url + path, { call_id: 'c', ...sent }, { origin: server.url })
  expect(status).toBeLessThan(500)
  expect(text).toContain('</html>')
  const length = Object.values(sent).reduce((sum, value) => sum + Buffer.byteLength(value), 0)
  expect(Buffer.byteLength(text)).toBeLessThan(3 * length + 800_000)
})

it('a previewed import of a description of megabytes succeeds, though the page has no field for its text', async () => {
  const admin = new HttpPerson()
  await admin.press(await admin.open(`${server.url}/sign-in`), /Sign in/, { key: ADMIN_KEY })
  const get = { operationId: 'long', description: `<${'é\u202e'.repeat(100_000)}` }
  const described = { openapi: '3.1.0', servers: [{ url: 'https://a.example' }], paths: { '/a': { get } } }
  const asked = { ...toLook, 'source': JSON.stringify(described), 'input/toolkit': 'Kept' }
  const looked = await admin.post(`${server.url}/console/import`, asked, { origin: server.url })
  expect(looked.text).toContain('name="tool:0" value="long"')
  const [, confirm = ''] = looked.text.split('Nothing is imported yet')
  const made = await admin.press({ ...looked, text: confirm }, /Import 1 tool/)
  expect([made.status, made.text.includes('1 tool imported')]).toEqual([200, true])
  const { body } = await server.json('GET', '/tools/Kept.long?format=oxp-flat', undefined, asAdmin)
  expect(body.description).toContain('é')
})

it('a form of a million fields is refused before any of them is read', async () => {
  const url = `${server.url}/console/tools/Calculator.Add`
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept': 'text/html' }
  const answer = await fetch(url, { method: 'POST', headers, body: 'a&'.repeat(2_000_000) })
  expect([answer.status, (await answer.text()).includes('The form is too large')]).toEqual([413, true])
})
