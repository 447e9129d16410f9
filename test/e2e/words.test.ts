import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../src/console/pages.ts'
import { phrasesIn, unknownLabels } from '../words/labels.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const TOOLS = '/console/tools/:id'
const paths = PAGES.map(({ path }) => path).filter((path) => path !== TOOLS)
const MORE = [
  '/?q=add',
  '/?q=nothing+like+this',
  '/?versions=all',
  '/?toolkit=Calculator',
  '/console/tools/Calculator.Add',
  '/console/tools/Gmail.GetEmails',
  '/console/tools/Words.Wait',
  '/console/tools/Nothing.There',
  '/console/tools/Calculator.Add?format=mcp',
  '/console/versions?status=active&toolkit=Calculator',
  '/console/findings?toolkit=Calculator',
  '/console/versions?toolkit=Words',
  '/console/calls?hours=1',
  '/console/calls/a-call',
  '/console/policies?pattern=Words.*',
  '/console/accounts?user=ann',
  '/console/providers?entered=1',
  '/console/agents?user=ann',
  '/console/nothing',
  '/authorizations/nothing/start',
]

describe('the words of pages', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startApp({ vars: { RECORD_CALL_CONTENT: 1 } })
    await server.json('PUT', '/policies/Words.*', { review: true, security_level: 8 })
    await server.json('POST', '/tools', {
      definition: definition('Words.Wait@1.0.0', { output_schema: null }),
      implementation: { kind: 'code', module: 'export default () => 1' },
    })
    await server.json('POST', '/tools/call', { call_id: 'a-call', tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
    await server.json('POST', '/keys', { name: 'an agent', scopes: ['tools:call'] })
    await server.json('PUT', '/providers/acme', { client_id: 'c', issuer: 'https://acme.test' })
    const calls = async () => (await server.json('GET', '/calls')).body.items.length
    // They are recorded behind their answers
    for (let waited = 0; waited < 300 && (await calls()) < 1; waited++)
      await new Promise((done) => setTimeout(done, 100))
  })
  afterAll(() => server?.stop())

  const pageOf = async (path: string, form?: Record<string, string>) => {
    const body = form && new URLSearchParams(form)
    const headers = { accept: 'text/html', origin: server.url }
    const response = await fetch(server.url + path, { headers, ...(body ? { method: 'POST', body } : {}) })
    expect([path, response.headers.get('content-type')]).toEqual([path, expect.stringContaining('text/html')])
    return response.text()
  }
  const KEYS = '/console/keys'

  it.each([...paths, ...MORE])('pages of %s use only headings, labels and buttons of the glossary', async (path) => {
    const html = await pageOf(path)
    // The name of the toolkit that a page is about is its heading
    expect(unknownLabels(html).filter((label) => label !== 'Calculator')).toEqual([])
    expect(phrasesIn(html)).toEqual([])
  })

  it.each<[string, string, Record<string, string>]>([
    ['a call', '/console/tools/Calculator.Add', { 'input/a': '1', 'input/b': '2' }],
    ['a call that misses something', '/console/tools/Calculator.Add', {}],
    ['a call that needs an account', '/console/tools/Gmail.GetEmails', { user_id: 'ann' }],
    ['a call that needs a user', '/console/tools/Gmail.GetEmails', {}],
    ['a new key', KEYS, { 'make/name': 'words' }],
    ['a wrong key', KEYS, { 'make/expires_at': 'x' }],
  ])('pages of %s use words of the glossary, too', async (_, path, form) => {
    const html = await pageOf(path, form)
    expect(unknownLabels(html)).toEqual([])
    expect(phrasesIn(html)).toEqual([])
  })
})
