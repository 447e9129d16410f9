import type { Given } from './codec.ts'
import { isJsonObject, isList, isTexts, type JsonObject } from './json.ts'
import { into, judged, matching, parsed, type Reader, stating, string, text, unfit, wrong } from './json-reader.ts'
import type { Problem } from './problem.ts'
import { isNamePart, isVersion } from './tool-id.ts'
import { isRequirementId } from './tool.ts'
import { nearestVersion, versionIn } from './version.ts'

export const namePart = text('1 to 64 of the characters A-Z, a-z, 0-9, _ and -', isNamePart)

export const version: Reader<string> = stating(
  () => ({ type: 'string', description: 'Must be a version of the form x.y.z' }),
  (value, report) => {
    if (typeof value !== 'string') return unfit(report, 'a version of the form x.y.z', value)
    if (isVersion(value)) return value
    return unfit(report, `a version of the form x.y.z, such as '${nearestVersion(value)}'`, value)
  },
)

export const requirementId = text('1 to 128 visible ASCII characters', isRequirementId)

/** Ignored with a warning, but what seems misspelt: a requirement that is passed over would leave a tool unprotected. */
export const EXTENSION = { unknown: 'extension' } as const

export const tags: Reader<readonly string[]> = parsed('up to 32 texts of 1 to 64 characters', (value) =>
  isTexts(value) && value.length <= 32 && value.every(({ length }) => length >= 1 && length <= 64) ? value : undefined,
)

const MAX_DESCRIPTION = 1_000
export const toolkitDescription = string({ least: 1, most: MAX_DESCRIPTION })

/** The beginning of a source's, which may be a whole manual. */
export function shortDescription(text: unknown): string | undefined {
  const short = typeof text === 'string' ? text.trim().toWellFormed() : ''
  if (short.length <= MAX_DESCRIPTION) return short || undefined
  return `${short.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`
}

export const jsonSchema = matching('a JSON Schema object', isJsonObject)

export const inputSchema: Reader<JsonObject> = into(jsonSchema, (schema, report) => {
  const { type = 'object' } = schema
  if (isList(type) && type.length === 1 && type[0] === 'object') return { ...schema, type: 'object' }
  return type === 'object' ? schema : wrong(report, "Must be 'object': a tool's parameters have names", '/type')
})

export function toolVersion({ version: given }: Given): Reader<string> {
  const agreed = judged(version, (named) =>
    named === (given ?? named) ? undefined : `Must be the version '${given}' that was given beside the definition`,
  )
  return (value, report) =>
    given !== undefined && typeof value === 'string' && !isVersion(value) ? given : agreed(value, report)
}

/** For dialects whose version is an identifier. */
export function versionOfIdentifier(given: Given): Reader<string> {
  const asVersion = toolVersion(given)
  return (value, report) => {
    const said = typeof value === 'string' && given.version === undefined ? versionIn(value) : undefined
    if (said === undefined) return asVersion(value, report)
    report.warnings.push({ path: '', message: `Is taken as '${said}'` })
    return said
  }
}

export function whatIsNotGiven({ toolkit, version: given }: Given): readonly Problem[] {
  const message =
    'Is required, and the dialect does not say it: publish with ?toolkit= and ?version=, or {"definition", "toolkit", "version"}'
  const fields = Object.entries({ toolkit, version: given }).filter(([, value]) => value === undefined)
  return fields.map(([field]) => ({ path: `/${field}`, message }))
}
