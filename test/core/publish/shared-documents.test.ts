import { expect, it } from 'vitest'
import { codecs } from '../../../src/compose/dialects.ts'
import { dropSharedDocument, redactSharedDocument } from '../../../src/core/publish/shared-documents.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import { recordOf } from '../../dialects/machine-context/record.ts'

const inputSchema = { type: 'object', properties: {} }
const tools = ['one', 'two', 'three'].map((name) => ({ name, description: name, inputSchema }))
const capabilities = tools.map(({ name, description }) => ({ name, description, parameters: [] }))
const whole = { id: 'Kit', name: 'Kit', version: '1.0.0', description: 'd' }
const SEVERAL: readonly [string, Json][] = [
  ['machine-context', { ...whole, capabilities }],
  ['mcp', { tools }],
  ['plugin', { tools }],
]

const published = (dialect: string, document: Json) =>
  recordOf({ toolkit: 'Kit', tool: 'one', version: '1.0.0', id: 'Kit.one@1.0.0', source: { dialect, document } })

it.each(SEVERAL)(
  'a document of several tools is returned with a record to readers of all its tools: %s',
  async (dialect, document) => {
    const record = published(dialect, document)
    const asked: string[] = []
    const seen = await redactSharedDocument(record, codecs, async (id) => asked.push(id) > 0)
    expect([seen, asked]).toEqual([record, ['Kit.two@1.0.0', 'Kit.three@1.0.0']])
  },
)

it.each(SEVERAL)(
  'a document of several tools is the only part left out for other readers: %s',
  async (dialect, document) => {
    const record = published(dialect, document)
    const seen = await redactSharedDocument(record, codecs, async (id) => id !== 'Kit.three@1.0.0')
    expect(seen).toEqual({ ...record, source: { dialect } })
    expect(dropSharedDocument(record, codecs)).toEqual(seen)
  },
)

it('a document of several tools is left out if it can no longer be read', async () => {
  const record = published('plugin', { tools: [...tools, { name: 1 }] })
  expect((await redactSharedDocument(record, codecs, async () => true)).source).toEqual({ dialect: 'plugin' })
})

it.each([
  ['machine-context', { ...whole, capabilities: capabilities.slice(0, 1) }],
  ['mcp', tools[0] ?? null],
  ['mcp', { tools: tools.slice(0, 1) }],
  ['plugin', { tools: tools.slice(0, 1) }],
  ['oxp', { id: 'Kit.one@1.0.0' }],
  ['unknown', { tools }],
])('a document of one tool is returned with its record: %s', async (dialect, document) => {
  const record = published(dialect, document)
  expect(dropSharedDocument(record, codecs)).toBe(record)
  expect(await redactSharedDocument(record, codecs, () => Promise.reject(new Error('Nobody is asked')))).toBe(record)
})
