import Ajv from 'ajv/dist/2020.js'
import { hasShared, readShared } from '../shared.ts'

const OPENAPI = 'specs/oxp/openapi.errata-fixed.json'

/** Checks bodies against the component schemas of the published OXP OpenAPI document, if it is available. */
export function oxpSchemas() {
  if (!hasShared(OPENAPI)) return undefined
  const document = JSON.parse(readShared(OPENAPI))
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: 'oxp', ...document })
  const check = (name: string) => (body: unknown) => {
    const validate = ajv.compile({ $ref: `oxp#/components/schemas/${name}` })
    return validate(body) ? [] : (validate.errors ?? [])
  }
  return {
    definition: check('ToolDefinition'),
    callResponse: check('CallToolResponse'),
    serverError: check('ServerErrorResponse'),
    validationError: check('ValidationErrorResponse'),
  }
}
