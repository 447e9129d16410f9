import { isObject, type JsonObject } from '../../core/tool/json.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'
import { resolveOpenApiRef, followToObject, isAnnotated, listAt } from './description.ts'
import { type OpenApiNode, objectAt, textAt, listTexts } from './description.ts'
import type { Draft } from './draft.ts'
import { chooseMedia, isConcrete, isRange, kindOfMedia, type MediaKind } from './media-type.ts'
import { FILE, withFile, withFiles } from './multipart-files.ts'

interface ObjectShape {
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
}

const WHOLE_OBJECT_KEYWORDS = (
  'oneOf anyOf not if enum const patternProperties propertyNames dependentRequired dependentSchemas ' +
  'minProperties maxProperties unevaluatedProperties $dynamicRef'
).split(' ')
const MAX_MERGE_DEPTH = 8
const MAX_FIELDS = 2_000
const shapeBySchema = new WeakMap<object, ObjectShape | undefined>()

/** Properties become inputs, unless the whole object has constraints or its absence could not be expressed. */
export function placeBody(draft: Draft, source: unknown, method: string): void {
  const { description, problems, warnings } = draft
  const resolution = resolveOpenApiRef(description, source)
  if (!resolution.ok) return void problems.push(`its body cannot be read: ${resolution.problem}`)
  const requestBody = isObject(resolution.value) ? resolution.value : {}
  const required = requestBody.required === true
  const content = objectAt(requestBody, 'content')
  const media = chooseBodyMedia(draft, content)
  if (!media) return
  if (method === 'GET' || method === 'HEAD') {
    if (required) problems.push(`${method} has no body, and it requires one`)
    else warnings.push(`the body is left out: ${method} has none`)
    return
  }
  const { type, kind } = media
  const { schema: raw = {} } = objectAt(content, type)
  const encoding = objectAt(objectAt(content, type), 'encoding')
  const isRaw = kind === 'text' || kind === 'binary'
  const shape = isRaw ? undefined : findShape(draft, raw)
  if (shape && (required || shape.required.size === 0)) {
    placeFields(draft, shape, { kind, method, encoding })
    const contentType = kind === 'json' && !isPlainJson(type) ? { content_type: type } : {}
    // A declared JSON body is sent as `{}` when empty
    if (kind !== 'json' || required || 'content_type' in contentType) draft.body = { type: kind, ...contentType }
    return
  }
  const bodyDescription = textAt(requestBody, 'description') ?? (kind === 'text' ? `The body, as ${type}.` : undefined)
  const schema = toBodySchema(draft, kind, raw)
  const input = draft.addInput('body', 'body', schema, { required, description: bodyDescription })
  draft.body = {
    type: isRaw ? 'raw' : kind,
    input,
    ...(kind === 'multipart' || kind === 'form' ? buildEncodings(encoding, kind) : {}),
    ...(kind === 'multipart' || kind === 'form' || isPlainJson(type) || isRange(type) ? {} : { content_type: type }),
  }
}

function placeFields(
  draft: Draft,
  { properties, required }: ObjectShape,
  { kind, method, encoding }: { readonly kind: MediaKind; readonly method: string; readonly encoding: OpenApiNode },
): void {
  for (const [name, property] of properties) {
    const raw = kind === 'multipart' ? withFile(draft, property) : property
    const input = draft.addInput(name, 'body', raw, { required: required.has(name) })
    const field = kind === 'json' && name.startsWith('/') ? encodePointerStep(name) : name
    // Inputs without a parameter go to the body under their own names, except for DELETE
    if (kind === 'json' && field === input && method !== 'DELETE') continue
    draft.parameters.push({
      input,
      in: 'body',
      ...(field === input ? {} : { name: field }),
      ...(kind === 'form' || raw !== property ? buildEncoding(objectAt(encoding, name), kind) : {}),
    })
  }
}

/** Prefers JSON to multipart, unless both carry bytes, because no API means text by bytes. */
function chooseBodyMedia(draft: Draft, content: OpenApiNode) {
  const types = Object.keys(content)
  const media = chooseMedia(types)
  const multipart = types.find((type) => kindOfMedia(type) === 'multipart')
  if (media?.kind !== 'json' || multipart === undefined) return media
  const hasFiles = (type: string) => {
    const { schema } = objectAt(content, type)
    return withFiles(draft, schema) !== schema
  }
  return hasFiles(media.type) && hasFiles(multipart) ? { type: multipart, kind: 'multipart' as const } : media
}

function buildEncodings(encoding: OpenApiNode, kind: MediaKind): JsonObject {
  const encodings = Object.keys(encoding).map((name) => [name, buildEncoding(objectAt(encoding, name), kind)] as const)
  const nonEmpty = encodings.filter(([, fieldEncoding]) => Object.keys(fieldEncoding).length > 0)
  return nonEmpty.length > 0 ? { encoding: Object.fromEntries(nonEmpty) } : {}
}

/** OpenAPI 3.1, "Encoding Object". For a multipart body, only the content type of files counts. */
function buildEncoding(encoding: OpenApiNode, kind: MediaKind): JsonObject {
  const { style, explode, allowReserved } = encoding
  const contentType = textAt(encoding, 'contentType')
  if (kind === 'multipart')
    return contentType !== undefined && isConcrete(contentType) ? { content_type: contentType } : {}
  if (contentType !== undefined && kindOfMedia(contentType) === 'json') return { content_type: 'application/json' }
  return {
    ...(style === 'spaceDelimited' || style === 'pipeDelimited' || style === 'deepObject' ? { style } : {}),
    ...(typeof explode === 'boolean' ? { explode } : {}),
    ...(allowReserved === true ? { allow_reserved: true } : {}),
  }
}

function findShape(draft: Draft, raw: unknown, depth = 0): ObjectShape | undefined {
  const schema = followToObject(draft.description, raw)
  if (!schema || depth > MAX_MERGE_DEPTH) return undefined
  if (depth > 0) return mergeShape(draft, schema, depth)
  if (!shapeBySchema.has(schema)) shapeBySchema.set(schema, mergeShape(draft, schema, depth))
  return shapeBySchema.get(schema)
}

function mergeShape(draft: Draft, schema: OpenApiNode, depth: number): ObjectShape | undefined {
  const { type = 'object', additionalProperties = false } = schema
  const isClosed = additionalProperties === false
  const isPlain = type === 'object' && isClosed && schema.nullable !== true && schema['x-nullable'] !== true
  if (!isPlain || WHOLE_OBJECT_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return undefined
  const properties = new Map<string, unknown>(Object.entries(objectAt(schema, 'properties')))
  const required = new Set(listTexts(schema.required))
  for (const part of listAt(schema, 'allOf')) {
    const partShape = findShape(draft, part, depth + 1)
    if (!partShape) return undefined
    draft.work.budget.spend(1 + partShape.properties.size + partShape.required.size)
    for (const [name, property] of partShape.properties) {
      if (properties.has(name) && properties.get(name) !== property) return undefined
      properties.set(name, property)
    }
    for (const name of partShape.required) required.add(name)
  }
  if (depth > 0) return { properties, required }
  for (const [name, property] of properties) {
    if (isAnnotated(draft.description, property, 'readOnly', draft.work.budget)) required.delete(name)
    if (isObject(property) && property.readOnly === true) properties.delete(name)
  }
  const isComplete = [...required].every((name) => properties.has(name))
  return properties.size > 0 && properties.size <= MAX_FIELDS && isComplete ? { properties, required } : undefined
}

function toBodySchema(draft: Draft, kind: MediaKind, raw: unknown): unknown {
  switch (kind) {
    case 'binary':
      return FILE
    case 'text':
      return isObject(raw) && (raw.type === 'string' || raw.$ref !== undefined) ? raw : { type: 'string' }
    case 'multipart':
      return withFiles(draft, raw)
    default:
      return raw
  }
}

function isPlainJson(type: string): boolean {
  return type.trim().toLowerCase() === 'application/json' || (isRange(type) && kindOfMedia(type) === 'json')
}
