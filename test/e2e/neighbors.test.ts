import { afterAll, beforeAll, expect, it } from 'vitest'
import { definition } from './definition.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const SENTENCE = 'Delivers a telegram to the harbour office.'
const WARNING = (id: string, other: string) => ({
  path: '',
  message: `A search for the first sentence of '${id}', '${SENTENCE}', finds '${other}' first`,
})

let server: RunningServer
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const telegram = {
    definition: {
      name: 'Telegram',
      title: 'Telegram to the harbour office',
      description: `${SENTENCE} Takes a minute.`,
      inputSchema: { type: 'object' },
    },
    toolkit: 'Harbour',
    version: '1.0.0',
  }
  expect((await publish(telegram)).body).toEqual({ ids: ['Harbour.Telegram@1.0.0'] })
})
afterAll(() => server.stop())

const publish = (body: unknown, headers = asAdmin) => server.json('POST', '/tools', body, headers)

async function keyFor(tools: readonly string[], scopes: readonly string[] = ['tools:read', 'tools:publish']) {
  const { body } = await server.json('POST', '/keys', { name: 'k', scopes, tools, users: [] }, asAdmin)
  return { authorization: `Bearer ${body.key}` }
}

it('a tool whose first sentence finds another tool first is published with a warning that names the other', async () => {
  const { status, body } = await publish(definition('Port.Wire@1.0.0', { description: `${SENTENCE}\n\nSlowly.` }))
  expect(status).toBe(201)
  expect(body).toEqual({ ids: ['Port.Wire@1.0.0'], warnings: [WARNING('Port.Wire@1.0.0', 'Harbour.Telegram')] })
})

it('a tool whose first sentence finds another tool first gets the warning in a small batch, and not in a large one', async () => {
  const wires = (count: number, from: string) =>
    Array.from({ length: count }, (_, n) => definition(`${from}.Wire${n}@1.0.0`, { description: SENTENCE }))
  const { body: few } = await publish(wires(2, 'Few'))
  expect(few.results.map(({ warnings }: { warnings: unknown }) => warnings)).toEqual([
    [WARNING('Few.Wire0@1.0.0', 'Harbour.Telegram')],
    [WARNING('Few.Wire1@1.0.0', 'Harbour.Telegram')],
  ])
  const { body: many } = await publish(wires(11, 'Many'))
  expect(many.results.map(Object.keys)).toEqual(Array.from({ length: 11 }, () => ['id', 'status']))
})

it('a tool whose first sentence finds another tool first gets no warning for a version that is not listed', async () => {
  const older = definition('Port.Wire@0.9.0', { description: SENTENCE })
  expect((await publish(older)).body).toEqual({ ids: ['Port.Wire@0.9.0'] })
})

it('a tool whose first sentence finds another tool first gets no warning about a tool that its publisher may not see', async () => {
  const blind = await keyFor(['Wharf.*', 'Pier.*'])
  const wharf = definition('Wharf.Wire@1.0.0', { description: SENTENCE })
  expect((await publish(wharf, blind)).body).toEqual({ ids: ['Wharf.Wire@1.0.0'] })
  const pier = definition('Pier.WireAgain@1.0.0', { description: SENTENCE })
  expect((await publish(pier, blind)).body.warnings).toEqual([WARNING('Pier.WireAgain@1.0.0', 'Wharf.Wire')])
  const writer = await keyFor(['Quay.*', 'Harbour.*'], ['tools:publish'])
  const quay = definition('Quay.Wire@1.0.0', { description: SENTENCE })
  expect((await publish(quay, writer)).body).toEqual({ ids: ['Quay.Wire@1.0.0'] })
})

const neighbors = (id: string, headers = asAdmin) => server.json('GET', `/tools/${id}?neighbours=1`, undefined, headers)

it('the neighbors of a tool are the five tools that its first sentence finds', async () => {
  const { status, body, headers } = await neighbors('Port.Wire')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body.items).toHaveLength(5)
  expect(body.items[0]).toEqual({
    id: 'Harbour.Telegram@1.0.0',
    title: 'Telegram to the harbour office',
    description: SENTENCE,
  })
  expect(body.items.map(({ id }: { id: string }) => id)).not.toContain('Port.Wire@1.0.0')
})

it('the neighbors of a tool include only tools that the caller may see', async () => {
  const pier = await keyFor(['Pier.*', 'Wharf.*'])
  const { body } = await neighbors('Pier.WireAgain', pier)
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['Wharf.Wire@1.0.0'])
  expect((await neighbors('Port.Wire', pier)).status).toBe(404)
})
