/** Reads a description without any code of the importer, so that tests which compare the two are meaningful. */

// Tests check the contents
// oxlint-disable-next-line typescript/no-explicit-any
export type Any = any

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

export interface Described {
  readonly root: Any
  readonly method: string
  readonly path: string
  readonly operation: Any
  readonly parameters: Any[]
  /** Its media type with its settings, in the form of OpenAPI 3. */
  readonly body?: { readonly type: string; readonly required: boolean; readonly schema: Any; readonly encoding: Any }
}

export function resolve(root: Any, value: Any): Any {
  let found = value
  for (let links = 0; found?.$ref !== undefined && links < 20; links++) {
    found = found.$ref
      .slice(2)
      .split('/')
      .reduce(
        (node: Any, step: string) => node?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
        root,
      )
  }
  return found
}

/** Lists a description's operations, with their parameters and body in the form of OpenAPI 3. */
export function operationsOf(root: Any): Described[] {
  return Object.entries<Any>(root.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => resolve(root, item)[method]).map((method) => {
      const pathItem = resolve(root, item)
      const operation = pathItem[method]
      const declared = [...(pathItem.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
        resolve(root, each),
      )
      const byKey = new Map(declared.map((each) => [`${each.in} ${each.name}`, each]))
      const all = [...byKey.values()]
      const parameters = all
        .filter((each) => ['path', 'query', 'header', 'cookie'].includes(each.in))
        .map((each) => (root.swagger ? { ...styleOfSwagger(each), ...each, schema: each } : each))
      const body = root.swagger ? swaggerBody(root, operation, all) : openApiBody(root, operation)
      return { root, method: method.toUpperCase(), path, operation, parameters, ...(body ? { body } : {}) }
    }),
  )
}

function styleOfSwagger({ in: place, type, collectionFormat = 'csv' }: Any) {
  if (type !== 'array' || place !== 'query') return {}
  const styles: Record<string, Any> = {
    csv: { style: 'form', explode: false },
    ssv: { style: 'spaceDelimited', explode: false },
    pipes: { style: 'pipeDelimited', explode: false },
    multi: { style: 'form', explode: true },
  }
  return styles[collectionFormat]
}

function swaggerBody(root: Any, operation: Any, parameters: Any[]): Described['body'] {
  const body = parameters.find((each) => each.in === 'body')
  const consumes = operation.consumes ?? root.consumes ?? ['application/json']
  if (body) {
    const type = consumes.find((each: string) => each.includes('json')) ?? consumes[0]
    return { type, required: body.required === true, schema: body.schema, encoding: {} }
  }
  const form = parameters.filter((each) => each.in === 'formData')
  if (form.length === 0) return undefined
  const multipart =
    form.some((each) => each.type === 'file') || !consumes.some((each: string) => each.includes('form-url'))
  return {
    type:
      multipart && consumes.includes('multipart/form-data')
        ? 'multipart/form-data'
        : 'application/x-www-form-urlencoded',
    required: form.some((each) => each.required),
    schema: {
      type: 'object',
      properties: Object.fromEntries(form.map((each) => [each.name, each])),
      required: form.filter((each) => each.required === true).map((each) => each.name),
    },
    encoding: {},
  }
}

const PREFERRED = ['application/json', 'json', 'urlencoded', 'multipart', 'text']

function openApiBody(root: Any, operation: Any): Described['body'] {
  const body = resolve(root, operation.requestBody)
  const types = Object.keys(body?.content ?? {})
  const type = PREFERRED.map((wanted) => types.find((each) => each.includes(wanted))).find(Boolean) ?? types[0]
  if (!type) return undefined
  const { schema = {}, encoding = {} } = body.content[type]
  return { type, required: body.required === true, schema, encoding }
}

/** Returns a valid value: all properties of a request (two levels deep), only the required ones of a response. */
export function sample(root: Any, given: Any, of: 'request' | 'response', depth = 0): Any {
  const schema = resolve(root, given)
  if (schema === undefined || schema === true || depth > 12) return 'anything'
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.find((each: Any) => each !== null) ?? null
  if (schema.allOf) {
    const { allOf, ...rest } = schema
    const parts = [rest, ...allOf].map((each) => resolve(root, each))
    const merged = parts.reduce((sum, each) => merge(root, sum, each), {})
    return sample(root, merged, of, depth + 1)
  }
  const choice = schema.oneOf ?? schema.anyOf
  if (choice) {
    const { oneOf: _, anyOf: __, ...rest } = schema
    return sample(root, merge(root, rest, resolve(root, choice[0])), of, depth + 1)
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || (type === undefined && schema.properties)) return object(root, schema, of, depth)
  switch (type) {
    case 'array': {
      const count = Math.max(schema.minItems ?? 0, of === 'request' && depth < 2 ? 1 : 0)
      const one = sample(root, schema.items ?? {}, of, depth + 1)
      return Array.from({ length: count }, (_, index) =>
        typeof one === 'string' && !schema.items?.enum ? `${one}${index || ''}` : one,
      )
    }
    case 'integer':
      return Math.ceil(within(schema, 7))
    case 'number':
      return within(schema, 2.5)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string':
      return text(schema)
    default:
      return 'anything'
  }
}

function object(root: Any, schema: Any, of: 'request' | 'response', depth: number): Any {
  const foreign = of === 'request' ? 'readOnly' : 'writeOnly'
  const required: string[] = Array.isArray(schema.required) ? schema.required : []
  const names = Object.keys(schema.properties ?? {}).filter((name) => {
    if (schema.properties[name]?.[foreign] === true) return false
    return required.includes(name) || (of === 'request' && depth < 2)
  })
  const entries = names.map((name) => [name, sample(root, schema.properties[name], of, depth + 1)])
  for (const name of required) {
    if (!names.includes(name) && schema.properties?.[name]?.[foreign] !== true) entries.push([name, 'anything'])
  }
  const free = Array.from({ length: Math.max(0, (schema.minProperties ?? 0) - entries.length) }, (_, index) => [
    `extra${index}`,
    sample(root, schema.additionalProperties ?? {}, of, depth + 1),
  ])
  return Object.fromEntries([...entries, ...free])
}

function merge(root: Any, left: Any, given: Any, depth = 0): Any {
  const { allOf = [], ...own } = given ?? {}
  const inherited = (depth < 8 ? allOf : []).map((each: Any) => resolve(root, each))
  const right = inherited.reduce((sum: Any, each: Any) => merge(root, sum, each, depth + 1), own)
  return {
    ...left,
    ...right,
    ...(left.properties || right.properties ? { properties: { ...left.properties, ...right.properties } } : {}),
    required: [...(left.required ?? []), ...(Array.isArray(right.required) ? right.required : [])],
  }
}

function within({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Any, wanted: number): number {
  const least =
    typeof exclusiveMinimum === 'number'
      ? exclusiveMinimum + 1
      : (minimum ?? -Infinity) + (exclusiveMinimum === true ? 1 : 0)
  const most =
    typeof exclusiveMaximum === 'number'
      ? exclusiveMaximum - 1
      : (maximum ?? Infinity) - (exclusiveMaximum === true ? 1 : 0)
  const value = Math.min(Math.max(wanted, least), most)
  return multipleOf ? Math.ceil(value / multipleOf) * multipleOf : value
}

function text({ pattern, example, examples, format, minLength = 0, maxLength = Infinity }: Any): string {
  const given = example ?? (Array.isArray(examples) ? examples[0] : undefined)
  if (pattern !== undefined && typeof given === 'string' && matches(pattern, given)) return given
  if (pattern !== undefined) return patterned(pattern)
  if (format === 'date-time') return '2026-01-02T03:04:05Z'
  const wanted = 'ü b/c?&=#%;,'
  return wanted.padEnd(minLength, 'x').slice(0, maxLength)
}

/** Tries a few texts; most patterns of real descriptions match one of them. */
function patterned(pattern: string): string {
  const version = '/versions/stable'
  const hex = '0'.repeat(24)
  // Short ones first: some of those patterns take forever on long texts
  const tries = (
    'a abc A 1 123 #aabbcc aabbcc a/b a.json stable rdme_a 2026-01-02 /branches/stable /changelogs/a /projects/me ' +
    `${version}/guides/a ${version}/apis/a.json ${version}/categories/guides/a ${version}/custom_pages/a ` +
    `${version}/recipes/a /projects/me/apikeys/${hex} /images/${hex} ${hex} https://a.example 2026-01-02T03:04:05Z ` +
    `GHSA-aaaa-bbbb-cccc CVE-2026-12345 ${'0'.repeat(32)} ${'a'.repeat(40)} ${'0'.repeat(64)} sha256:${'a'.repeat(64)}`
  ).split(' ')
  return tries.find((each) => matches(pattern, each)) ?? 'a'
}

/** Whether a text matches; a pattern that is not valid here, as of another language, matches every text. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
