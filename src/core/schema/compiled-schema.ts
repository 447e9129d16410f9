import { pointerStep } from '../tool/problem.ts'
import { keywordsWhere } from './keywords.ts'
import { type Finding, problemMessage } from './wording.ts'

export interface CompiledError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
}

const WRAPPERS = keywordsWhere(({ tells }) => tells === 'below')
/** Ajv reports nothing below `not`. */
const COMPOSITES: ReadonlySet<string> = new Set(
  [...keywordsWhere(({ tells }) => tells === 'whole')].filter((keyword) => keyword !== 'not'),
)
/** Ajv's parameter with a keyword's own value; all others use `limit`, or need none. */
const WANTED: ReadonlyMap<string, string> = new Map([
  ['type', 'type'],
  ['enum', 'allowedValues'],
  ['const', 'allowedValue'],
  ['multipleOf', 'multipleOf'],
  ['pattern', 'pattern'],
])

export function findingsOfErrors(errors: readonly CompiledError[]): Finding[] {
  const kept: CompiledError[] = []
  for (const error of errors) {
    if (WRAPPERS.has(error.keyword)) continue
    if (COMPOSITES.has(error.keyword)) dropBelow(error, kept)
    kept.push(error)
  }
  return kept.map(finding)
}

/** Ajv reports what is below a composite right before it. */
function dropBelow(composite: CompiledError, kept: CompiledError[]): void {
  for (let last = kept.at(-1); last && isBelow(composite, last); last = kept.at(-1)) kept.pop()
}

/** Schema paths begin anew below a reference, and Ajv reports `anyOf` and `oneOf` before it looks into the value itself. */
function isBelow(composite: CompiledError, error: CompiledError): boolean {
  if (error.schemaPath.startsWith(`${composite.schemaPath}/`)) return true
  if (!error.instancePath.startsWith(composite.instancePath)) return false
  const schema = composite.schemaPath.slice(0, composite.schemaPath.lastIndexOf('/') + 1)
  if (!error.schemaPath.startsWith(schema)) return true
  const looksLater = composite.keyword === 'anyOf' || composite.keyword === 'oneOf'
  return looksLater && error.instancePath.startsWith(`${composite.instancePath}/`)
}

function finding({ keyword, instancePath, params }: CompiledError): Finding {
  const name =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName']
  const path = name === undefined ? instancePath : instancePath + pointerStep(String(name))
  return { path, keyword, message: problemMessage(keyword, params[WANTED.get(keyword) ?? 'limit']) }
}
