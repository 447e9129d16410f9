import { describe, expect, it } from 'vitest'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { encode } from '../../../src/dialects/machine-context/encoding.ts'
import { recordOf } from './record.ts'

it('leaves out parameters that no model may infer', () => {
  const metadata = { non_inferrable_parameters: ['key'] }
  const input = { type: 'object', properties: { key: { type: 'string' }, city: { type: 'string' } } }
  const { document, losses } = encode(recordOf({ metadata, input }))
  expect(JSON.stringify(document)).not.toMatch(/key|non_inferrable/)
  expect(losses.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/input/properties/key', '/metadata/non_inferrable_parameters']),
  )
  expect(encode(recordOf({ metadata: { ...metadata, a: 1 } })).document).toMatchObject({ metadata: { a: 1 } })
})

it('reports how a name with a dash is read', () => {
  const { losses } = encode(recordOf({ toolkit: 'my-kit', tool: 'get-x' }))
  expect(losses.filter(({ path }) => ['/toolkit', '/tool'].includes(path))).toEqual([
    { path: '/toolkit', reason: "Is read as 'my_kit': names have no other characters any more" },
    { path: '/tool', reason: "Is read as 'get_x': names have no other characters any more" },
  ])
})

describe('each field of a record', () => {
  const least = {
    id: 'Kit',
    name: 'Kit',
    version: '1.0.0',
    description: 'What it does',
    capabilities: [{ name: 'Tool', description: 'What it does' }],
    securityLevel: 0,
  }

  it.each<[Partial<ToolRecord>, object, object[]?]>([
    [
      { output: null },
      { capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { type: 'null' } } }] },
      [{ path: '/output', reason: 'No output at all is written as the schema {"type": "null"}' }],
    ],
    [{ output: true }, {}],
    [
      { output: false },
      { capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { not: {} } } }] },
    ],
    [
      { output: { type: 'string' } },
      { capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { type: 'string' } } }] },
    ],
    [
      { output: { description: 7 } },
      { capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { description: 7 } } }] },
    ],
    [{ metadata: { x: 1 } }, { metadata: { x: 1 } }],
    [{ metadata: { tags: ['a'] }, tags: ['a'] }, { metadata: { tags: ['a'] } }],
    [
      { metadata: { tags: ['a', 'b'] }, tags: ['a'] },
      { metadata: { tags: ['a'] } },
      [{ path: '/metadata/tags', reason: "The tool's own tags stand there" }],
    ],
    [
      { metadata: { tags: ['a'] }, tags: [] },
      { metadata: { tags: ['a'] } },
      [{ path: '/tags', reason: "The tags in the metadata count as the tool's own" }],
    ],
    [{ metadata: { tags: 7 }, tags: [] }, { metadata: { tags: 7 } }],
    [{ tags: ['a'] }, { metadata: { tags: ['a'] } }],
    [
      { name: 'other' },
      {},
      [{ path: '/name', reason: "The name is made of the tool's id and the capability: 'Kit_Tool'" }],
    ],
    [{ title: 'T' }, {}, [{ path: '/title', reason: 'The Machine Context Protocol has no such field' }]],
    [
      { description: '', title: 'T', annotations: { title: 'A' } },
      { description: 'T', capabilities: [{ name: 'Tool', description: 'T' }] },
      [
        { path: '/description', reason: 'A description is required, so the title or the name is written' },
        { path: '/title', reason: 'The Machine Context Protocol has no such field' },
        { path: '/annotations', reason: 'The Machine Context Protocol has no such field' },
      ],
    ],
    [
      { description: '', annotations: { title: 'A' } },
      { description: 'A', capabilities: [{ name: 'Tool', description: 'A' }] },
      [
        { path: '/description', reason: 'A description is required, so the title or the name is written' },
        { path: '/annotations', reason: 'The Machine Context Protocol has no such field' },
      ],
    ],
    [
      { requirements: { authorization: [{ id: 'a' }], secrets: [{ id: 'b' }], user_id: true } },
      {},
      [
        { path: '/requirements/authorization', reason: 'The Machine Context Protocol has no such field' },
        { path: '/requirements/secrets', reason: 'The Machine Context Protocol has no such field' },
        { path: '/requirements/user_id', reason: 'The Machine Context Protocol has no such field' },
      ],
    ],
    [
      { input: { properties: { a: { type: 'integer' } } } },
      {
        capabilities: [
          {
            name: 'Tool',
            description: 'What it does',
            parameters: [{ name: 'a', description: '', type: 'number', required: false }],
          },
        ],
      },
      [
        {
          path: '/input/properties/a/type',
          reason: "A parameter's type is one of string, number, boolean, object, array, so it is written as number",
        },
      ],
    ],
  ])('with %j is encoded or reported as a loss', (given, fields, losses = []) => {
    expect(encode(recordOf(given))).toEqual({ document: { ...least, ...fields }, losses })
  })
})
