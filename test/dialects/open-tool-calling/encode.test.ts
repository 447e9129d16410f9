import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { encodeListed } from '../../../src/dialects/open-tool-calling/encode.ts'
import { DEFINITION_SCHEMA } from '../../../src/dialects/open-tool-calling/schema-uri.ts'
import { DEFINITION } from './example.ts'

const RECORD: ToolRecord = {
  id: 'Gmail.GetEmails@1.2.0',
  toolkit: 'Gmail',
  tool: 'GetEmails',
  version: '1.2.0',
  name: 'Gmail_GetEmails',
  description: 'Retrieves emails',
  input: { type: 'object', properties: {} },
  output: null,
  requirements: { authorization: [], secrets: [], user_id: false },
  securityLevel: 0,
  tags: [],
  source: { dialect: 'open-tool-calling', document: DEFINITION },
  digest: '0',
}

const listed = (change: JsonObject) =>
  encodeListed({ ...RECORD, source: { dialect: 'open-tool-calling', document: { ...DEFINITION, ...change } } })

describe('a listed definition', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['as it was published', {}, {}],
    ['of the RFC, whatever it said', { $schema: 'http://json-schema.org/draft-07/schema#' }, {}],
    ['with its fully qualified name alone', { id: 'Gmail.GetEmails@1.2.0' }, {}],
    [
      'without the version in that, if it was so',
      { fully_qualified_name: 'Gmail.GetEmails' },
      { fully_qualified_name: 'Gmail.GetEmails' },
    ],
    ['with the id that it has here', { fully_qualified_name: '7d1f-9a' }, {}],
    ['with the id of its toolkit here', { fully_qualified_name: 'Other.GetEmails@1.2.0' }, {}],
    ['with a readable name that leads to it', { name: 'Get emails' }, { name: 'Get emails' }],
    ['without one that does not', { name: 'Read my mail' }, {}],
    [
      'without the readable name of a toolkit that leads to another',
      { toolkit: { name: 'G mail', version: '1.2.0' } },
      { toolkit: { name: 'Gmail', version: '1.2.0' } },
    ],
    [
      'with the toolkit and the version that it has here',
      { toolkit: { name: 'My mail', version: 'v1' } },
      { toolkit: { name: 'Gmail', version: '1.2.0' } },
    ],
    [
      'with the parameters in their place',
      { input: [{ name: 'a', required: true, value_schema: { val_type: 'string' } }] },
      { input: { parameters: [{ name: 'a', required: true, value_schema: { val_type: 'string' } }] } },
    ],
  ])('is %s', (_, change, wanted) => {
    expect(listed(change)).toEqual({ ...DEFINITION, ...wanted })
  })

  it('has its fully qualified name even if it was published with an id', () => {
    const { fully_qualified_name: id = null, ...rest } = DEFINITION
    const source = { dialect: 'open-tool-calling', document: { ...rest, id } }
    expect(encodeListed({ ...RECORD, source })).toEqual(DEFINITION)
  })

  it('can be made from a record of another dialect', () => {
    expect(encodeListed({ ...RECORD, source: { dialect: 'mcp', document: {} } })).toEqual({
      $schema: DEFINITION_SCHEMA,
      name: 'GetEmails',
      fully_qualified_name: 'Gmail.GetEmails@1.2.0',
      description: 'Retrieves emails',
      toolkit: { name: 'Gmail', description: 'The tools of Gmail', version: '1.2.0' },
      input: { parameters: [] },
      output: { available_modes: ['null', 'error'] },
      requirements: { secrets: null, authorization: null },
    })
  })
})
