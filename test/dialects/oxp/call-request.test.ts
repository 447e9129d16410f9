import { expect, it } from 'vitest'
import { toJsonSchema } from '../../../src/core/tool/json-reader.ts'
import { CALL_REQUEST } from '../../../src/dialects/oxp/wire.ts'

it('the schema of a call has every context field that the guides describe', () => {
  const context = ['authorization', 'secrets', 'user_id', 'account', 'select', 'inline_bytes']
  const fields = Object.fromEntries(context.map((name) => [name, expect.anything()]))
  const properties = { context: { properties: fields } }
  expect(toJsonSchema(CALL_REQUEST)).toMatchObject({
    anyOf: [{ properties }, { properties: { request: { properties } } }],
  })
})
