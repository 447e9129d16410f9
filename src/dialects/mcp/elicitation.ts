import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'

export const URL_ELICITATION: JsonObject = { elicitation: { url: {} } }

/** An `elicitation` without `url` means forms, as it did before URLs were supported. */
export function hasCapability(capabilities: JsonObject, required: JsonObject): boolean {
  return Object.entries(required).every(([name, parts]) => {
    const declaration = capabilities[name]
    if (!isJsonObject(declaration) || !isJsonObject(parts)) return false
    if (name === 'elicitation' && 'form' in parts && !('url' in declaration)) return true
    return Object.keys(parts).every((part) => isJsonObject(declaration[part]))
  })
}
