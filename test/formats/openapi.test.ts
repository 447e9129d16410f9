import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBudget } from '../../src/core/tool/budget.ts'
import type { JsonObject } from '../../src/core/tool/json.ts'
import { openapi } from '../../src/formats/openapi.ts'
import { pathsOf, recordOf } from './records.ts'

const OAS: object = JSON.parse(readFileSync(new URL('../api/openapi/oas-3.1-schema.json', import.meta.url), 'utf8'))
const isDescription = new Ajv2020({ strict: false, validateFormats: false }).compile(OAS)

const TREE: JsonObject = {
  type: 'object',
  properties: { tree: { $ref: '#/$defs/a node' }, whole: { $ref: '#' }, here: { $ref: '#spot' } },
  required: ['tree'],
  $defs: {
    'a node': { type: 'object', properties: { below: { type: 'array', items: { $ref: '#/$defs/a%20node' } } } },
    'spot': { $anchor: 'spot', type: 'integer' },
  },
}

/** Whether what is described of a request takes a value, references and all. */
function takes(document: unknown, body: unknown): boolean {
  const { paths, components } = Object(document)
  const { schema } = paths['/tools/call'].post.requestBody.content['application/json']
  return new Ajv2020({ strict: false }).validate({ ...schema, components }, body)
}

it('an OpenAPI description of a tool has one operation, which calls it at the origin of the description', () => {
  const input = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const { document, losses } = openapi(
    recordOf(input, { title: 'Adds', output: { type: 'number' } }),
    'Kit_Tool',
    createBudget(),
  )
  expect(isDescription(document), JSON.stringify(isDescription.errors)).toBe(true)
  expect(losses).toEqual([])
  expect(document).toMatchObject({
    info: { title: 'Adds', version: '1.0.0', description: 'Does it' },
    servers: [{ url: '/' }],
    paths: { '/tools/call': { post: { operationId: 'Kit_Tool', tags: ['Kit'] } } },
    components: { schemas: { Input: input, Output: { type: 'number' } } },
  })
  expect(takes(document, { tool_id: 'Kit.Tool@1.0.0', input: { a: 1 } })).toBe(true)
  expect(takes(document, { tool_id: 'Kit.Other@1.0.0', input: { a: 1 } })).toBe(false)
  expect(takes(document, { tool_id: 'Kit.Tool@1.0.0', input: { a: 'x' } })).toBe(false)
})

it('an OpenAPI description of a tool has references to the locations of its schemas', () => {
  const { document, losses } = openapi(recordOf(TREE), 'Kit_Tool', createBudget())
  expect(isDescription(document)).toBe(true)
  const { Input } = Object(document).components.schemas
  expect(Input.properties).toEqual({
    tree: { $ref: '#/components/schemas/Input/$defs/a%20node' },
    whole: { $ref: '#/components/schemas/Input' },
    here: { $ref: '#spot' },
  })
  expect(losses).toEqual([])
  const call = (tree: unknown) => takes(document, { tool_id: 'Kit.Tool@1.0.0', input: { tree } })
  expect([call({ below: [{ below: [] }] }), call({ below: [{ below: 1 }] })]).toEqual([true, false])
})

it('an OpenAPI description of a tool reports what it cannot express, and that nothing is returned', () => {
  const requirements = { authorization: [], secrets: [{ id: 'KEY' }], user_id: true }
  const given = { requirements, securityLevel: 3, annotations: { readOnlyHint: true }, output: null }
  const encoded = openapi(
    recordOf({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, given),
    'n',
    createBudget(),
  )
  expect(pathsOf(encoded)).toEqual(['/annotations', '/securityLevel', '/requirements', '/input/$schema'])
  expect(encoded.document).toMatchObject({ components: { schemas: { Output: { type: 'null' } } } })
})

it('an OpenAPI description of a tool is valid for any input schema', () => {
  const name = fc.string({ maxLength: 5 })
  const leaf = fc.constantFrom({ type: 'string' }, { $ref: '#' }, { type: 'array', items: true }, { items: [{}, true] })
  const inputs = fc.dictionary(name, leaf).map((properties) => ({ type: 'object', properties }))
  fc.assert(
    fc.property(inputs, (input) => {
      const { document } = openapi(recordOf(input), 'n', createBudget())
      expect(isDescription(JSON.parse(JSON.stringify(document))), JSON.stringify(isDescription.errors)).toBe(true)
    }),
  )
})
