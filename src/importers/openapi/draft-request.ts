import { isObject, type JsonObject } from '../../core/tool/json.ts'
import { placeBody } from './body.ts'
import { createDraft, type Draft } from './draft.ts'
import {
  type Description,
  resolveOpenApiRef,
  listAt,
  type OpenApiNode,
  objectAt,
  formatValue,
  textAt,
} from './description.ts'
import { kindOfMedia } from './media-type.ts'
import type { DescribedOperation } from './operations.ts'
import type { SchemaConverter, ConversionWork } from './schema.ts'
import { findPlace } from './security.ts'
import { convertSwaggerOperation } from './swagger.ts'

const LOCATIONS = ['path', 'query', 'header', 'cookie'] as const
const LOCATION_ORDER: readonly unknown[] = LOCATIONS
const STYLES: Readonly<Record<(typeof LOCATIONS)[number], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}
/** "If `in` is "header" and the name is …, the parameter definition SHALL be ignored" (OpenAPI 3.1, "Parameter Object"). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']
const MAX_PARAMETERS = 500

function normalizeOperation(description: Description, { operation, pathItem }: DescribedOperation) {
  const declared = [...listAt(pathItem, 'parameters'), ...listAt(operation, 'parameters')]
  if (declared.length > MAX_PARAMETERS)
    return { operation, parameters: [], problems: [`it has more than ${MAX_PARAMETERS} parameters`] }
  const normalized =
    description.edition === '2.0'
      ? convertSwaggerOperation(description, operation, declared)
      : { operation, parameters: declared }
  const problems: string[] = []
  const byKey = new Map<string, OpenApiNode>()
  for (const parameter of normalized.parameters) {
    const resolution = resolveOpenApiRef(description, parameter)
    if (!resolution.ok) problems.push(`a parameter cannot be read: ${resolution.problem}`)
    else if (!isObject(resolution.value) || typeof resolution.value.name !== 'string') {
      problems.push('a parameter has no name')
    } else byKey.set(`${String(resolution.value.in)} ${resolution.value.name}`, resolution.value)
  }
  const parameters = [...byKey.values()].sort((a, b) => LOCATION_ORDER.indexOf(a.in) - LOCATION_ORDER.indexOf(b.in))
  return { operation: normalized.operation, parameters, problems }
}

export type DraftRequest = Draft & { readonly path: string; readonly operation: OpenApiNode }

export function draftRequest(
  description: Description,
  converter: SchemaConverter,
  describedOperation: DescribedOperation,
  credentials: readonly JsonObject[],
  work: ConversionWork,
): DraftRequest {
  const { operation, parameters, problems } = normalizeOperation(description, describedOperation)
  const { method, path } = describedOperation
  const credentialPlaces = new Set(credentials.map(findPlace))
  const draft: Draft = createDraft(description, converter, problems, work)
  const { template, variables } = buildTemplate(path)
  for (const parameter of parameters) {
    if (!credentialPlaces.has(findPlace(parameter))) placeParameter(draft, parameter, variables)
  }
  for (const [name, variable] of variables) {
    const isDeclared = draft.parameters.some(
      (parameterDraft) => parameterDraft.in === 'path' && (parameterDraft.name ?? parameterDraft.input) === variable,
    )
    if (isDeclared) continue
    const input = draft.addInput(name, 'path', { type: 'string' }, { required: true })
    draft.parameters.push({ input, in: 'path', name: variable })
    draft.warnings.push(`the path's '{${name}}' is not declared: it is taken for a text`)
  }
  if (operation.requestBody !== undefined) placeBody(draft, operation.requestBody, method)
  return { ...draft, path: template, operation }
}

function placeParameter(draft: Draft, parameter: OpenApiNode, variables: ReadonlyMap<string, string>): void {
  const name = String(parameter.name)
  const location = LOCATIONS.find((candidate) => candidate === parameter.in)
  const required = parameter.required === true || location === 'path'
  const leaveOut = (reason: string): void => {
    if (required && location !== 'path')
      draft.problems.push(`the required parameter '${name}' cannot be sent: ${reason}`)
    else draft.warnings.push(`the parameter '${name}' is left out: ${reason}`)
  }
  if (!location) return leaveOut(`it goes to ${formatValue(parameter.in)}, which is not a place`)
  if (location === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return
  const variable = location === 'path' ? variables.get(name) : name
  if (variable === undefined) return leaveOut('the path does not hold it')
  const style = textAt(parameter, 'style')
  if (style !== undefined && !STYLES[location].includes(style)) {
    if (location === 'path') return void draft.problems.push(`'${name}' has the style '${style}', which no path has`)
    return leaveOut(`its style '${style}' is not one of ${STYLES[location].join(', ')}`)
  }
  const [[mediaType, media] = [undefined, undefined]] = Object.entries(objectAt(parameter, 'content'))
  if (mediaType !== undefined && kindOfMedia(mediaType) !== 'json' && !/^text\/plain\b/i.test(mediaType))
    return leaveOut(`its content '${mediaType}' cannot be written`)
  const raw = isObject(media) ? (media.schema ?? {}) : (parameter.schema ?? {})
  const input = draft.addInput(name, location, raw, { required, description: textAt(parameter, 'description') })
  draft.parameters.push({
    input,
    in: location,
    ...(variable === input ? {} : { name: variable }),
    ...(mediaType !== undefined && kindOfMedia(mediaType) === 'json' ? { content_type: 'application/json' } : {}),
    ...(style === undefined || style === STYLES[location][0] ? {} : { style }),
    ...(typeof parameter.explode === 'boolean' ? { explode: parameter.explode } : {}),
    ...(parameter.allowReserved === true && location === 'query' ? { allow_reserved: true } : {}),
  })
}

/** Drops the fragment, which distinguishes operations of one path and is never sent. */
function buildTemplate(path: string): { readonly template: string; readonly variables: ReadonlyMap<string, string> } {
  const variables = new Map<string, string>()
  const [pathWithoutFragment = ''] = path.split('#')
  const template = pathWithoutFragment.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const isPlain = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)
    const variable = variables.get(name) ?? (isPlain ? name : `variable_${variables.size + 1}`)
    variables.set(name, variable)
    return `{${variable}}`
  })
  return { template, variables }
}
