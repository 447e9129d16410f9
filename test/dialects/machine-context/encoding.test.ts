import { describe, expect, it } from 'vitest'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { encode } from '../../../src/dialects/machine-context/encoding.ts'
import { recordOf } from './record.ts'

it('does not name what no model may infer', () => {
  const metadata = { non_inferrable_parameters: ['key'] }
  const input = { type: 'object', properties: { key: { type: 'string' }, city: { type: 'string' } } }
  const { document, losses } = encode(recordOf({ metadata, input }))
  expect(JSON.stringify(document)).not.toMatch(/key|non_inferrable/)
  expect(losses.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/input/properties/key', '/metadata/non_inferrable_parameters']),
  )
  expect(encode(recordOf({ metadata: { ...metadata, a: 1 } })).document).toMatchObject({ metadata: { a: 1 } })
})

it('says how a name with a dash is read', () => {
  const { losses } = encode(recordOf({ toolkit: 'my-kit', tool: 'get-x' }))
  expect(losses.filter(({ path }) => ['/toolkit', '/tool'].includes(path))).toEqual([
    { path: '/toolkit', reason: "Is read as 'my_kit': names have no other characters any more" },
    { path: '/tool', reason: "Is read as 'get_x': names have no other characters any more" },
  ])
})

describe('each field of a record', () => {
  it.each<[Partial<ToolRecord>, unknown]>([
    [
      { output: null },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { type: 'null' } } }],
          securityLevel: 0,
        },
        losses: [{ path: '/output', reason: 'No output at all is written as the schema {"type": "null"}' }],
      },
    ],
    [
      { output: true },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
        },
        losses: [],
      },
    ],
    [
      { output: false },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { not: {} } } }],
          securityLevel: 0,
        },
        losses: [],
      },
    ],
    [
      { output: { type: 'string' } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { type: 'string' } } }],
          securityLevel: 0,
        },
        losses: [],
      },
    ],
    [
      { output: { description: 7 } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does', return: { schema: { description: 7 } } }],
          securityLevel: 0,
        },
        losses: [],
      },
    ],
    [
      { metadata: { x: 1 } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
          metadata: { x: 1 },
        },
        losses: [],
      },
    ],
    [
      { metadata: { tags: ['a'] }, tags: ['a'] },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
          metadata: { tags: ['a'] },
        },
        losses: [],
      },
    ],
    [
      { metadata: { tags: ['a', 'b'] }, tags: ['a'] },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
          metadata: { tags: ['a'] },
        },
        losses: [{ path: '/metadata/tags', reason: "The tool's own tags stand there" }],
      },
    ],
    [
      { metadata: { tags: ['a'] }, tags: [] },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
          metadata: { tags: ['a'] },
        },
        losses: [{ path: '/tags', reason: "The tags in the metadata count as the tool's own" }],
      },
    ],
    [
      { metadata: { tags: 7 }, tags: [] },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
          metadata: { tags: 7 },
        },
        losses: [],
      },
    ],
    [
      { tags: ['a'] },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
          metadata: { tags: ['a'] },
        },
        losses: [],
      },
    ],
    [
      { name: 'other' },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
        },
        losses: [{ path: '/name', reason: "The name is made of the tool's id and the capability: 'Kit_Tool'" }],
      },
    ],
    [
      { title: 'T' },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
        },
        losses: [{ path: '/title', reason: 'The Machine Context Protocol has no such field' }],
      },
    ],
    [
      { description: '', title: 'T', annotations: { title: 'A' } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'T',
          capabilities: [{ name: 'Tool', description: 'T' }],
          securityLevel: 0,
        },
        losses: [
          { path: '/description', reason: 'A description is required, so the title or the name is written' },
          { path: '/title', reason: 'The Machine Context Protocol has no such field' },
          { path: '/annotations', reason: 'The Machine Context Protocol has no such field' },
        ],
      },
    ],
    [
      { description: '', annotations: { title: 'A' } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'A',
          capabilities: [{ name: 'Tool', description: 'A' }],
          securityLevel: 0,
        },
        losses: [
          { path: '/description', reason: 'A description is required, so the title or the name is written' },
          { path: '/annotations', reason: 'The Machine Context Protocol has no such field' },
        ],
      },
    ],
    [
      { requirements: { authorization: [{ id: 'a' }], secrets: [{ id: 'b' }], user_id: true } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [{ name: 'Tool', description: 'What it does' }],
          securityLevel: 0,
        },
        losses: [
          { path: '/requirements/authorization', reason: 'The Machine Context Protocol has no such field' },
          { path: '/requirements/secrets', reason: 'The Machine Context Protocol has no such field' },
          { path: '/requirements/user_id', reason: 'The Machine Context Protocol has no such field' },
        ],
      },
    ],
    [
      { input: { properties: { a: { type: 'integer' } } } },
      {
        document: {
          id: 'Kit',
          name: 'Kit',
          version: '1.0.0',
          description: 'What it does',
          capabilities: [
            {
              name: 'Tool',
              description: 'What it does',
              parameters: [{ name: 'a', description: '', type: 'number', required: false }],
            },
          ],
          securityLevel: 0,
        },
        losses: [
          {
            path: '/input/properties/a/type',
            reason: "A parameter's type is one of string, number, boolean, object, array, so it is written as number",
          },
        ],
      },
    ],
  ])('with %j is written, or among the losses', (given, wanted) => {
    expect(encode(recordOf(given))).toEqual(wanted)
  })
})
