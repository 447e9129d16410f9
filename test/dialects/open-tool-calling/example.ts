import type { JsonObject } from '../../../src/core/tool/json.ts'
import { DEFINITION_SCHEMA } from '../../../src/dialects/open-tool-calling/schema-uri.ts'

/** A definition of the Open Tool Calling RFC that says a little of everything. */
export const DEFINITION: JsonObject = {
  $schema: DEFINITION_SCHEMA,
  name: 'GetEmails',
  fully_qualified_name: 'Gmail.GetEmails@1.2.0',
  description: 'Retrieves emails',
  toolkit: { name: 'Gmail', description: 'Mail', version: '1.2.0' },
  input: {
    parameters: [
      {
        name: 'query',
        required: true,
        description: 'What to look for',
        value_schema: { val_type: 'string', inner_val_type: null, enum: null },
        inferrable: true,
      },
      {
        name: 'labels',
        required: false,
        value_schema: { val_type: 'array', inner_val_type: 'string', enum: ['inbox', 'sent'] },
      },
      { name: 'options', required: false, value_schema: { val_type: 'json' } },
      { name: 'token', required: false, value_schema: { val_type: 'string' }, inferrable: false },
    ],
  },
  output: {
    available_modes: ['value', 'error', 'null'],
    description: 'The emails',
    value_schema: { val_type: 'array', inner_val_type: 'json' },
  },
  requirements: {
    secrets: [{ key_id: 'API_KEY' }],
    authorization: { provider_id: 'google', provider_type: 'oauth2', oauth2: { scopes: ['gmail.readonly'] } },
  },
}
