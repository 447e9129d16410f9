import { parseLocalRef } from '../../core/schema/subschemas.ts'
import { withinBudget, type Budget, createBudget, DEFAULT_UNITS, chargeValue } from '../../core/tool/budget.ts'
import { isObject } from '../../core/tool/json.ts'
import { getAtPointer } from '../../core/tool/problem.ts'

export type OpenApiNode = Readonly<Record<string, unknown>>

export interface Description {
  readonly edition: '2.0' | '3.0' | '3.1'
  readonly root: OpenApiNode
  readonly url?: string
  readonly budget?: Budget
}

export const OPERATION_UNITS = 2 * DEFAULT_UNITS

export type ConvertResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

const MAX_REF_CHAIN = 16

export function readDescription(root: OpenApiNode, url?: string): ConvertResult<Description> {
  const { swagger, openapi } = root
  // YAML reads `openapi: 3.1` and `openapi: 3.0` as numbers
  const versionText = typeof openapi === 'number' ? openapi.toFixed(1) : openapi
  const isEdition = (prefix: string) =>
    versionText === prefix || (typeof versionText === 'string' && versionText.startsWith(`${prefix}.`))
  const edition = swagger === '2.0' || swagger === 2 ? '2.0' : (['3.0', '3.1'] as const).find(isEdition)
  if (edition) return { ok: true, value: { edition, root, ...(url === undefined ? {} : { url }) } }
  const version = openapi ?? swagger
  const got = version === undefined ? "neither 'openapi' nor 'swagger'" : formatValue(version)
  return { ok: false, problem: `Must be an OpenAPI description of version 2.0, 3.0 or 3.1, got ${got}` }
}

const unitsByPart = new WeakMap<object, number>()

export function unitsToRead(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 1
  const units = unitsByPart.get(part)
  if (units !== undefined) return units
  const partBudget = createBudget(OPERATION_UNITS)
  withinBudget(() => chargeValue(part, partBudget), '')
  unitsByPart.set(part, partBudget.spent)
  return partBudget.spent
}

/** Follows `$ref` within the document; other documents are never fetched. */
export function resolveOpenApiRef({ root, budget }: Description, value: unknown): ConvertResult<unknown> {
  let current = value
  for (let links = 0; isObject(current) && typeof current.$ref === 'string'; links++) {
    if (links === MAX_REF_CHAIN)
      return { ok: false, problem: `'${shorten(current.$ref)}' leads to ever more references` }
    const resolution = referredTo(root, current.$ref)
    if (!resolution.ok) return resolution
    current = resolution.value
    budget?.spend(unitsToRead(current))
  }
  return { ok: true, value: current }
}

export function followToObject(description: Description, value: unknown): OpenApiNode | undefined {
  const resolved = resolveOpenApiRef(description, value)
  return resolved.ok && isObject(resolved.value) ? resolved.value : undefined
}

/**
 * Checks for an annotation: in the schema, its `$ref`, a part of `allOf`, or each non-null alternative of `oneOf` or `anyOf`.
 * `required` then applies only to the other direction (OpenAPI 3.0.3, Schema Object, `readOnly` and `writeOnly`).
 */
export function isAnnotated(
  description: Description,
  raw: unknown,
  annotation: 'readOnly' | 'writeOnly',
  budget: Budget,
  depth = 0,
): boolean {
  if (!isObject(raw) || raw[annotation] === true) return isObject(raw)
  if (['$ref', 'allOf', 'oneOf', 'anyOf'].every((keyword) => raw[keyword] === undefined)) return false
  budget.spend(1)
  const schema = followToObject(description, raw)
  if (!schema || depth > MAX_REF_CHAIN) return false
  const isPart = (part: unknown) => isAnnotated(description, part, annotation, budget, depth + 1)
  if (schema[annotation] === true || listAt(schema, 'allOf').some(isPart)) return true
  const isNull = (part: unknown) => isObject(part) && part.type === 'null'
  const alternatives = [listAt(schema, 'oneOf'), listAt(schema, 'anyOf')].map((list) =>
    list.filter((part) => !isNull(part)),
  )
  return alternatives.some((list) => list.length > 0 && list.every(isPart))
}

export function referredTo(root: OpenApiNode, reference: string) {
  const toProblem = (why: string) => ({ ok: false, problem: `'${shorten(reference)}' ${why}` }) as const
  if (!reference.startsWith('#')) return toProblem('is in another document, which is not fetched')
  const steps = parseLocalRef(reference)
  if (typeof steps !== 'object') return toProblem('is no JSON Pointer')
  const value = getAtPointer(root, steps)
  return value === undefined ? toProblem('points to nothing in the document') : ({ ok: true, value, steps } as const)
}

export function objectAt(node: OpenApiNode, key: string): OpenApiNode {
  const value = Object.hasOwn(node, key) ? node[key] : undefined
  return isObject(value) ? value : {}
}

export function listTexts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

export function listAt(node: OpenApiNode, key: string): readonly unknown[] {
  const value = node[key]
  return Array.isArray(value) ? value : []
}

export function textAt(node: OpenApiNode, key: string): string | undefined {
  const value = node[key]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

export function formatValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'no text' : `'${String(value).slice(0, 20)}'`
}
