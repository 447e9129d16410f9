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
import { operationOfSwagger } from './swagger.ts'

const PLACES = ['path', 'query', 'header', 'cookie'] as const
const ORDER: readonly unknown[] = PLACES
const STYLES: Readonly<Record<(typeof PLACES)[number], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}
/** "If `in` is "header" and the name is …, the parameter definition SHALL be ignored" (OpenAPI 3.1, "Parameter Object"). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']
const MAX_PARAMETERS = 500

function normalize(description: Description, { operation, pathItem }: DescribedOperation) {
  const declared = [...listAt(pathItem, 'parameters'), ...listAt(operation, 'parameters')]
  if (declared.length > MAX_PARAMETERS)
    return { operation, parameters: [], problems: [`it has more than ${MAX_PARAMETERS} parameters`] }
  const normal =
    description.edition === '2.0'
      ? operationOfSwagger(description, operation, declared)
      : { operation, parameters: declared }
  const problems: string[] = []
  const byKey = new Map<string, OpenApiNode>()
  for (const parameter of normal.parameters) {
    const followed = resolveOpenApiRef(description, parameter)
    if (!followed.ok) problems.push(`a parameter cannot be read: ${followed.problem}`)
    else if (!isObject(followed.value) || typeof followed.value.name !== 'string') {
      problems.push('a parameter has no name')
    } else byKey.set(`${String(followed.value.in)} ${followed.value.name}`, followed.value)
  }
  const parameters = [...byKey.values()].sort((a, b) => ORDER.indexOf(a.in) - ORDER.indexOf(b.in))
  return { operation: normal.operation, parameters, problems }
}

export type DraftRequest = Draft & { readonly path: string; readonly operation: OpenApiNode }

export function draftRequest(
  description: Description,
  converter: SchemaConverter,
  described: DescribedOperation,
  credentials: readonly JsonObject[],
  work: ConversionWork,
): DraftRequest {
  const { operation, parameters, problems } = normalize(description, described)
  const { method, path } = described
  const written = new Set(credentials.map(findPlace))
  const draft: Draft = createDraft(description, converter, problems, work)
  const { template, variables } = buildTemplate(path)
  for (const parameter of parameters) {
    if (!written.has(findPlace(parameter))) placeParameter(draft, parameter, variables)
  }
  for (const [name, variable] of variables) {
    const isFilled = draft.parameters.some((each) => each.in === 'path' && (each.name ?? each.input) === variable)
    if (isFilled) continue
    const input = draft.addInput(name, 'path', { type: 'string' }, { required: true })
    draft.parameters.push({ input, in: 'path', name: variable })
    draft.warnings.push(`the path's '{${name}}' is not declared: it is taken for a text`)
  }
  if (operation.requestBody !== undefined) placeBody(draft, operation.requestBody, method)
  return { ...draft, path: template, operation }
}

function placeParameter(draft: Draft, parameter: OpenApiNode, variables: ReadonlyMap<string, string>): void {
  const name = String(parameter.name)
  const place = PLACES.find((each) => each === parameter.in)
  const required = parameter.required === true || place === 'path'
  const leaveOut = (reason: string): void => {
    if (required && place !== 'path') draft.problems.push(`the required parameter '${name}' cannot be sent: ${reason}`)
    else draft.warnings.push(`the parameter '${name}' is left out: ${reason}`)
  }
  if (!place) return leaveOut(`it goes to ${formatValue(parameter.in)}, which is not a place`)
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return
  const variable = place === 'path' ? variables.get(name) : name
  if (variable === undefined) return leaveOut('the path does not hold it')
  const style = textAt(parameter, 'style')
  if (style !== undefined && !STYLES[place].includes(style)) {
    if (place === 'path') return void draft.problems.push(`'${name}' has the style '${style}', which no path has`)
    return leaveOut(`its style '${style}' is not one of ${STYLES[place].join(', ')}`)
  }
  const [[mediaType, media] = [undefined, undefined]] = Object.entries(objectAt(parameter, 'content'))
  if (mediaType !== undefined && kindOfMedia(mediaType) !== 'json' && !/^text\/plain\b/i.test(mediaType))
    return leaveOut(`its content '${mediaType}' cannot be written`)
  const raw = isObject(media) ? (media.schema ?? {}) : (parameter.schema ?? {})
  const input = draft.addInput(name, place, raw, { required, description: textAt(parameter, 'description') })
  draft.parameters.push({
    input,
    in: place,
    ...(variable === input ? {} : { name: variable }),
    ...(mediaType !== undefined && kindOfMedia(mediaType) === 'json' ? { content_type: 'application/json' } : {}),
    ...(style === undefined || style === STYLES[place][0] ? {} : { style }),
    ...(typeof parameter.explode === 'boolean' ? { explode: parameter.explode } : {}),
    ...(parameter.allowReserved === true && place === 'query' ? { allow_reserved: true } : {}),
  })
}

/** A fragment, which tells operations of one path apart, is never sent. */
function buildTemplate(path: string): { readonly template: string; readonly variables: ReadonlyMap<string, string> } {
  const variables = new Map<string, string>()
  const [sent = ''] = path.split('#')
  const template = sent.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const isPlain = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)
    const variable = variables.get(name) ?? (isPlain ? name : `variable_${variables.size + 1}`)
    variables.set(name, variable)
    return `{${variable}}`
  })
  return { template, variables }
}
