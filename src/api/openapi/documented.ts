import { isJsonObject, isList, type Json, type JsonObject } from '../../core/tool/json.ts'
import { type DocsLink, REFERENCE } from '../../docs/frame.tsx'
import { componentOf, resolved } from './describe.ts'

export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly operation: JsonObject
}

/** The forms that a body may have. */
export function formsOf(schema: Json | undefined, document: JsonObject): readonly Json[] {
  if (schema === undefined) return []
  const whole = resolved(schema, componentsOf(document))
  return isJsonObject(whole) && whole.properties === undefined && isList(whole.anyOf) ? whole.anyOf : [whole]
}

export function bodyOf({ requestBody }: JsonObject) {
  return isJsonObject(requestBody) ? membersOf(requestBody.content)[0] : undefined
}

/** Collections come before their members. */
export function operationsIn({ paths }: JsonObject): readonly DocumentedOperation[] {
  const depth = (path: string) => path.split('/').length
  const all = membersOf(paths).toSorted(([one], [other]) => depth(one) - depth(other))
  return all.flatMap(([path, methods]) =>
    membersOf(methods).map(([method, operation]) => ({
      id: textOf(operation.operationId),
      method: method.toUpperCase(),
      path,
      group: textOf(isList(operation.tags) ? operation.tags[0] : ''),
      summary: textOf(operation.summary),
      operation,
    })),
  )
}

/** In the order of the document's tags; those that it does not list stand last. */
export function groupsIn(document: JsonObject): readonly DocsLink[] {
  const operations = operationsIn(document)
  const names = new Set([
    ...objectsIn(document.tags).map(({ name }) => textOf(name)),
    ...operations.map(({ group }) => group),
  ])
  return [...names].map((title) => ({
    title,
    href: `${REFERENCE.href}/${slugOf(title)}`,
    within: operations
      .filter(({ group }) => group === title)
      .map(({ id, method, path }) => ({ href: `#${id}`, title: `${method} ${path}` })),
  }))
}

export function failuresIn(document: JsonObject): readonly string[] {
  const names = operationsIn(document).flatMap(({ operation }) => {
    const [, response] = membersOf(operation.responses).find(([status]) => status === 'default') ?? []
    const [[, { schema }] = ['', {} as JsonObject]] = membersOf(response?.content)
    return (isJsonObject(schema) && componentOf(schema)) || []
  })
  return [...new Set(names)]
}

export function componentsOf({ components }: JsonObject): JsonObject {
  const { schemas } = isJsonObject(components) ? components : {}
  return isJsonObject(schemas) ? schemas : {}
}

export const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

export function membersOf(value: Json | undefined): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => (isJsonObject(each) ? [[name, each] as const] : []))
}

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isJsonObject) : []
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
