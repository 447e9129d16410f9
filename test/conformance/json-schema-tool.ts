/** The tool with which the suite checks that keywords of JSON Schema 2020-12 are preserved. It is listed and never called. */
export const JSON_SCHEMA_TOOL = {
  toolkit: 'Fixture',
  version: '1.0.0',
  definition: {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with keywords of JSON Schema 2020-12.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  implementation: { kind: 'http', method: 'POST', url: 'https://example.com/', body: { type: 'json' } },
}
