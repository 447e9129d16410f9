import type { DecodeOptions } from './codec.ts'
import { isJsonObject, isJsonArray, isStringArray, type JsonObject } from './json.ts'
import {
  transform,
  refine,
  typeGuard,
  custom,
  type Reader,
  withSchema,
  string,
  stringMatching,
  addTypeProblem,
  addProblem,
} from './json-reader.ts'
import type { Problem } from './problem.ts'
import { isNamePart, isVersion } from './tool-id.ts'
import { isRequirementId } from './tool.ts'
import { guessVersion, inferVersion } from './version.ts'

export const namePart = stringMatching('1 to 64 of the characters A-Z, a-z, 0-9, _ and -', isNamePart)

export const version: Reader<string> = withSchema(
  () => ({ type: 'string', description: 'Must be a version of the form x.y.z' }),
  (value, report) => {
    if (typeof value !== 'string') return addTypeProblem(report, 'a version of the form x.y.z', value)
    if (isVersion(value)) return value
    return addTypeProblem(report, `a version of the form x.y.z, such as '${guessVersion(value)}'`, value)
  },
)

export const requirementId = stringMatching('1 to 128 visible ASCII characters', isRequirementId)

/** Ignores unknown fields with a warning unless they look misspelled: ignoring a requirement would leave a tool unprotected. */
export const EXTENSION = { unknown: 'extension' } as const

export const tags: Reader<readonly string[]> = custom('up to 32 texts of 1 to 64 characters', (value) =>
  isStringArray(value) && value.length <= 32 && value.every(({ length }) => length >= 1 && length <= 64)
    ? value
    : undefined,
)

const MAX_DESCRIPTION = 1_000
export const toolkitDescriptionReader = string({ min: 1, max: MAX_DESCRIPTION })

/** Shortens the description of a source, which may be a whole manual. */
export function shortDescription(text: unknown): string | undefined {
  const short = typeof text === 'string' ? text.trim().toWellFormed() : ''
  if (short.length <= MAX_DESCRIPTION) return short || undefined
  return `${short.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`
}

export const jsonSchema = typeGuard('a JSON Schema object', isJsonObject)

export const inputSchema: Reader<JsonObject> = transform(jsonSchema, (schema, report) => {
  const { type = 'object' } = schema
  if (isJsonArray(type) && type.length === 1 && type[0] === 'object') return { ...schema, type: 'object' }
  return type === 'object' ? schema : addProblem(report, "Must be 'object': a tool's parameters have names", '/type')
})

export function toolVersionReader({ version: required }: DecodeOptions): Reader<string> {
  const exactVersion = refine(version, (versionText) =>
    versionText === (required ?? versionText)
      ? undefined
      : `Must be the version '${required}' that was given beside the definition`,
  )
  return (value, report) =>
    required !== undefined && typeof value === 'string' && !isVersion(value) ? required : exactVersion(value, report)
}

/** For dialects whose version is an identifier. */
export function identifierVersionReader(options: DecodeOptions): Reader<string> {
  const readVersion = toolVersionReader(options)
  return (value, report) => {
    const inferred = typeof value === 'string' && options.version === undefined ? inferVersion(value) : undefined
    if (inferred === undefined) return readVersion(value, report)
    report.warnings.push({ path: '', message: `Is taken as '${inferred}'` })
    return inferred
  }
}

export function findMissingFields({ toolkit, version: versionOption }: DecodeOptions): readonly Problem[] {
  const message =
    'Is required, and the dialect does not say it: publish with ?toolkit= and ?version=, or {"definition", "toolkit", "version"}'
  const fields = Object.entries({ toolkit, version: versionOption }).filter(([, value]) => value === undefined)
  return fields.map(([field]) => ({ path: `/${field}`, message }))
}
