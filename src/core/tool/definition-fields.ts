import type { Given } from './codec.ts'
import { isJsonObject, isTexts, type JsonObject } from './json.ts'
import { into, judged, parsed, type Reader, stating, text, unfit, wrong } from './json-reader.ts'
import type { Problem } from './problem.ts'
import { isNamePart, isVersion } from './tool-id.ts'
import { isRequirementId } from './tool.ts'
import { nearestVersion } from './version.ts'

/** Reads a toolkit's or a tool's name. */
export const namePart = text('1 to 64 of the characters A-Z, a-z, 0-9, _ and -', isNamePart)

/** Reads a version (Semantic Versioning 2.0.0), and says of any other what to write instead. */
export const version: Reader<string> = stating(
  () => ({ type: 'string', description: 'Must be a version of the form x.y.z' }),
  (value, report) => {
    if (typeof value !== 'string') return unfit(report, 'a version of the form x.y.z', value)
    if (isVersion(value)) return value
    return unfit(report, `a version of the form x.y.z, such as '${nearestVersion(value)}'`, value)
  },
)

/** Reads what a requirement calls a provider or a secret. */
export const requirementId = text('1 to 128 visible ASCII characters', isRequirementId)

/** Reads the tags of a tool, and reports them as a whole. */
export const tags: Reader<readonly string[]> = parsed('up to 32 texts of 1 to 64 characters', (value) =>
  isTexts(value) && value.length <= 32 && value.every(({ length }) => length >= 1 && length <= 64) ? value : undefined,
)

export const jsonSchema: Reader<JsonObject> = parsed('a JSON Schema object', (value) =>
  isJsonObject(value) ? value : undefined,
)

/** Reads the schema of a tool's input, which may leave unsaid that it is an object. */
export const inputSchema: Reader<JsonObject> = into(jsonSchema, (schema, report) => {
  const { type = 'object' } = schema
  return type === 'object' ? schema : wrong(report, "Must be 'object': a tool's parameters have names", '/type')
})

/**
 * Reads the version that was given beside the document, if one was, else any. One that is given stands in for a text that
 * is no version, such as `v1` or `2024-05-01`.
 */
export function toolVersion({ version: given }: Given): Reader<string> {
  const agreed = judged(version, (named) => whyAnother('version', named, given))
  return (value, report) =>
    given !== undefined && typeof value === 'string' && !isVersion(value) ? given : agreed(value, report)
}

function whyAnother(what: 'toolkit' | 'version', named: string, given = named): string | undefined {
  return named === given ? undefined : `Must be the ${what} '${given}' that was given beside the definition`
}

/** What is missing beside a document of a dialect whose documents name neither toolkit nor version. */
export function whatIsNotGiven({ toolkit, version: given }: Given): readonly Problem[] {
  const message = 'Is required, and the dialect does not say it: publish {"definition", "toolkit", "version"}'
  return [
    ...(toolkit === undefined ? [{ path: '/toolkit', message }] : []),
    ...(given === undefined ? [{ path: '/version', message }] : []),
  ]
}
