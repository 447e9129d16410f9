import { pointerStep } from '../tool/problem.ts'
import type { Validate } from './validator.ts'
import { type Finding, problemMessage, reported } from './wording.ts'

/** One error of Ajv, as far as it is used here. */
export interface CompiledError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A validation function that `compileSchemas` made when building. */
export interface CompiledSchema {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

/** Keywords that only say that another keyword below them failed, or that failed because of it. */
const WRAPPERS: ReadonlySet<string> = new Set(['if', 'dependentSchemas', '$ref', '$dynamicRef'])
/** Keywords that fail as a whole: what failed below them would only confuse. */
const COMPOSITES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames'])

/**
 * A validator out of a compiled validation function: the same problems in the same words as `interpretSchema` gives.
 * Costs neither parsing nor code generation at run time, which Workers refuse.
 */
export function compiledValidate(compiled: CompiledSchema): Validate {
  return (value) => {
    try {
      return compiled(value) ? [] : reported(findings(compiled.errors ?? []))
    } catch (error) {
      if (error instanceof RangeError) return [{ path: '', message: 'Must nest less deep to be checked' }]
      throw error
    }
  }
}

function findings(errors: readonly CompiledError[]): Finding[] {
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

/**
 * Whether `error`, told just before `composite`, comes from below it. Below a reference schema paths begin anew, so such
 * an error is known by not lying in the composite's schema, or by lying deeper in the value: of `anyOf` and `oneOf` Ajv
 * tells before it looks into the value itself.
 */
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
  return { path, keyword, message: problemMessage(keyword, wantedBy(keyword, params)) }
}

function wantedBy(keyword: string, params: Readonly<Record<string, unknown>>): unknown {
  switch (keyword) {
    case 'type':
      return params['type']
    case 'enum':
      return params['allowedValues']
    case 'const':
      return params['allowedValue']
    case 'multipleOf':
      return params['multipleOf']
    case 'pattern':
      return params['pattern']
    default:
      return params['limit']
  }
}
