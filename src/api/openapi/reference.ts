import { isJsonObject, isObject, type JsonObject, type Json } from '../../core/tool/json.ts'
import { html, type Markup } from '../../http/page/markup.ts'
import type { Page } from '../../http/page/page.ts'
import { TEXT_STYLE } from '../../http/page/text-style.ts'

/** The reference of an OpenAPI document, as a page without scripts. */
export function referencePage({ paths }: JsonObject): Page {
  const operations = membersOf(paths).flatMap(([path, methods]) =>
    membersOf(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => textOf(tagOf(operation))))].sort()
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => tagOf(operation) === tag)
    return html`<h2 id="${tag}">${tag}</h2>
      ${own.map(({ path, method, operation }) => section(path, method, operation))}`
  })
  return {
    status: 200,
    title: 'Reference',
    style: TEXT_STYLE,
    body: html`<p class="note"><a href="/docs">All guides</a> · <a href="/openapi.json">OpenAPI 3.1</a></p>
      <p>${tags.map((tag) => html`<a href="#${tag}">${tag}</a> `)}</p>
      ${sections}`,
  }
}

function section(path: string, method: string, operation: JsonObject): Markup {
  const parameters = objectsIn(operation.parameters)
  const scopes = objectsIn(operation.security).flatMap((each) => Object.values(each).flat())
  const body = isObject(operation.requestBody) ? membersOf(operation.requestBody.content) : []
  const rows = [
    ...parameters.map(({ name, in: place, required, schema }) => {
      const wanted = [required === true ? 'required' : '', wordsOf(schema)].filter((each) => each !== '').join(': ')
      return row(`${textOf(name)} (${textOf(place)})`, wanted)
    }),
    ...body.flatMap(([type, { schema }]) => [row('Body', type), ...fieldsOf(schema)]),
    ...membersOf(operation.responses).map(([status, { description }]) =>
      row(status === 'default' ? 'Otherwise' : status, textOf(description)),
    ),
  ]
  const scope = scopes.length === 0 ? 'No credential' : `Scope ${[...new Set(scopes)].join(', ')}`
  const takes = objectsIn(operation.security).length > 0 && scopes.length === 0 ? 'A credential' : scope
  return html`<h3 id="${textOf(operation.operationId)}"><code>${method.toUpperCase()} ${path}</code></h3>
    <p>${textOf(operation.summary)}. ${takes}.</p>
    <dl>${rows}</dl>`
}

/** The fields of a body, as far as its schema names any. */
function fieldsOf(schema: Json | undefined): readonly Markup[] {
  if (!isJsonObject(schema)) return []
  const [form] = objectsIn(schema.anyOf)
  // Of several forms the first is shown; all are in the document
  if (schema.properties === undefined && form) return fieldsOf(form)
  const needed = Array.isArray(schema.required) ? schema.required : []
  return membersOf(schema.properties).map(([name, field]) => {
    const wanted = [needed.includes(name) ? 'required' : '', wordsOf(field)].filter((each) => each !== '').join(': ')
    return row(`· ${name}`, wanted)
  })
}

function row(term: string, words: string): Markup {
  return html`<dt>${term}</dt>
    <dd>${words}</dd>`
}

/** What a schema wants, in few words. */
function wordsOf(schema: Json | undefined): string {
  if (!isJsonObject(schema)) return ''
  const { description, enum: words, type, minimum, maximum, anyOf } = schema
  if (typeof description === 'string') return description
  if (Array.isArray(words)) return words.join(', ')
  if (Array.isArray(anyOf)) return objectsIn(anyOf).map(wordsOf).filter(Boolean).join(', or ')
  const span = minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}` : ''
  return `${textOf(type)}${span}`
}

function membersOf(value: Json | undefined): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => (isJsonObject(each) ? [[name, each] as const] : []))
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function tagOf({ tags }: JsonObject): Json | undefined {
  return Array.isArray(tags) ? tags[0] : undefined
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
