import { describe, expect, it } from 'vitest'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { publish, read } from '../../importers/openapi/make.ts'

const describing = (operation: object, version = '2.3.4') => ({
  openapi: '3.1.0',
  info: { version },
  servers: [{ url: 'https://a.example' }],
  paths: { '/a': { post: { operationId: 'do', ...operation } }, '/b': { get: { operationId: 'other' } } },
})
const parameter = (name: string, more: object = {}) => ({ name, in: 'query', schema: { type: 'string' }, ...more })
const answering = (schema: object, schemas: object = {}) => ({
  responses: { 200: { content: { 'application/json': { schema } } } },
  ...schemas,
})

/** Imports one description after the other, and says which ids each made or left. */
async function imports(...documents: readonly object[]) {
  const records: ToolRecord[] = []
  const results = []
  for (const document of documents) {
    const { items, version } = await read(document)
    const { made, skipped } = await publish(items ?? [], records, { sourceVersion: version })
    expect(skipped).toEqual([])
    results.push(Object.fromEntries(made.map(({ id, state }) => [id, state])))
  }
  return { results, records }
}

describe('the version of an imported tool', () => {
  it('is first that of the source, or 1.0.0', async () => {
    expect((await imports(describing({}))).results[0]).toEqual({ 'Kit.do@2.3.4': 'new', 'Kit.other@2.3.4': 'new' })
    expect((await imports(describing({}, 'v2'))).results[0]).toEqual({
      'Kit.do@1.0.0': 'new',
      'Kit.other@1.0.0': 'new',
    })
  })

  it('stays while the tool does, whatever the source calls itself', async () => {
    const { results, records } = await imports(describing({}), describing({}, '9.0.0'))
    expect(results[1]).toEqual({ 'Kit.do@2.3.4': 'unchanged', 'Kit.other@2.3.4': 'unchanged' })
    expect(records).toHaveLength(2)
  })

  const before = {
    parameters: [parameter('a')],
    ...answering({ type: 'object', properties: { x: { type: 'string' } } }),
  }
  it.each([
    ['2.3.5', 'a description', { ...before, description: 'Does it.' }],
    ['2.3.5', 'a tag', { ...before, tags: ['new'] }],
    ['2.4.0', 'a parameter that may be given', { ...before, parameters: [parameter('a'), parameter('b')] }],
    [
      '2.4.0',
      'more output',
      { ...before, ...answering({ type: 'object', properties: { x: { type: 'string' }, y: {} } }) },
    ],
    [
      '3.0.0',
      'a parameter that must be given',
      { ...before, parameters: [parameter('a'), parameter('b', { required: true })] },
    ],
    ['3.0.0', 'a parameter less', { ...before, parameters: [] }],
    ['3.0.0', 'another output', { ...before, ...answering({ type: 'string' }) }],
  ])('becomes %s by %s, and the old one stays as it was', async (version, _, after) => {
    const { results, records } = await imports(describing(before), describing(after))
    expect(results[1]).toEqual({ [`Kit.do@${version}`]: 'changed', 'Kit.other@2.3.4': 'unchanged' })
    const [old, , fresh] = records
    expect(old).toMatchObject({ id: 'Kit.do@2.3.4' })
    expect(old?.digest).not.toBe(fresh?.digest)
  })

  it('follows what a shared schema says, not that it is shared', async () => {
    const of = (more: object) => ({
      ...describing(
        answering({
          type: 'array',
          prefixItems: [{ $ref: '#/components/schemas/T' }, { $ref: '#/components/schemas/T' }],
          items: { $ref: '#/components/schemas/T' },
        }),
      ),
      components: {
        schemas: {
          T: { type: 'object', description: 'x'.repeat(300), properties: { a: { type: 'string' }, ...more } },
        },
      },
    })
    const { results, records } = await imports(of({}), of({ b: { type: 'string' } }))
    expect(records[0]?.output).toHaveProperty('$defs')
    // Only a list's items are compared part by part; of anything else any change may break
    expect(Object.keys(results[1] ?? {})[0]).toBe('Kit.do@3.0.0')
    const once = (more: object) => ({
      ...describing(
        answering({
          type: 'object',
          properties: { one: { $ref: '#/components/schemas/T' }, two: { $ref: '#/components/schemas/T' } },
        }),
      ),
      components: {
        schemas: {
          T: { type: 'object', description: 'x'.repeat(300), properties: { a: { type: 'string' }, ...more } },
        },
      },
    })
    const apart = await imports(once({}), once({ b: { type: 'string' } }))
    expect(apart.records[0]?.output).toHaveProperty('$defs')
    expect(Object.keys(apart.results[1] ?? {})[0]).toBe('Kit.do@2.4.0')
  })

  it('is the one that is given, if it is above the highest', async () => {
    const records: ToolRecord[] = []
    const { items = [] } = await read(describing(before))
    await publish(items, records, { version: '5.0.0' })
    const { items: changed = [] } = await read(describing({ ...before, summary: 'Other' }))
    const low = await publish(changed, records, { version: '5.0.0' })
    expect(low.made.map(({ id }) => id)).toEqual(['Kit.other@5.0.0'])
    expect(low.skipped).toEqual([
      {
        name: 'do',
        reason: 'It changed, and version 5.0.0 is not above 5.0.0, its highest',
        about: { method: 'POST', path: '/a' },
      },
    ])
    const high = await publish(changed, records, { version: '5.0.1' })
    expect(high.made.map(({ id, state }) => [id, state])).toEqual([
      ['Kit.do@5.0.1', 'changed'],
      ['Kit.other@5.0.0', 'unchanged'],
    ])
  })
})

describe('a tool that cannot be published', () => {
  it('is skipped, and the others are not', async () => {
    const records: ToolRecord[] = []
    const { items = [] } = await read(describing({}))
    await publish(items, records)
    const { items: again = [] } = await read({
      ...describing({}),
      paths: { '/a': { post: { operationId: 'DO' } }, '/c': { get: { operationId: 'third' } } },
    })
    const { made, skipped } = await publish(again, records)
    expect(made.map(({ id }) => id)).toEqual(['Kit.third@1.0.0'])
    expect(skipped[0]?.reason).toBe("'Kit.do' exists: ids are unique ignoring case")
  })

  it('stores nothing in a dry run', async () => {
    const records: ToolRecord[] = []
    const { items = [] } = await read(describing({}))
    const { made } = await publish(items, records, { dryRun: true })
    expect(made).toHaveLength(2)
    expect(records).toEqual([])
  })
})
