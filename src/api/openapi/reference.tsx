import { isJsonObject, isObject, type JsonObject, type Json } from '../../core/tool/json.ts'
import { answerDocs } from '../../docs/frame.tsx'
import type { Docs } from '../../docs/docs.ts'
import { Row } from '../../http/page/rows.tsx'

export function referencePage(docs: Docs, { paths }: JsonObject): Promise<Response> {
  const operations = membersOf(paths).flatMap(([path, methods]) =>
    membersOf(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => textOf(tagOf(operation))))].sort()
  const content = (
    <>
      <p class="note">
        <a href="/openapi.json">OpenAPI 3.1</a>
      </p>
      <p>{tags.flatMap((tag) => [<a href={`#${tag}`}>{tag}</a>, ' '])}</p>
      {tags.flatMap((tag) => [
        <h2 id={tag}>{tag}</h2>,
        ...operations.flatMap((each) => (tagOf(each.operation) === tag ? [<Section {...each} />] : [])),
      ])}
    </>
  )
  return answerDocs(docs, { title: 'API reference', path: '/docs/reference', content })
}

interface SectionOf {
  readonly path: string
  readonly method: string
  readonly operation: JsonObject
}

function Section({ path, method, operation }: SectionOf) {
  const parameters = objectsIn(operation.parameters)
  const scopes = objectsIn(operation.security).flatMap((each) => Object.values(each).flat())
  const body = isObject(operation.requestBody) ? membersOf(operation.requestBody.content) : []
  const scope = scopes.length === 0 ? 'No credential' : `Scope ${[...new Set(scopes)].join(', ')}`
  const takes = objectsIn(operation.security).length > 0 && scopes.length === 0 ? 'A credential' : scope
  return (
    <>
      <h3 id={textOf(operation.operationId)}>
        <code>
          {method.toUpperCase()} {path}
        </code>
      </h3>
      <p>
        {textOf(operation.summary)}. {takes}.
      </p>
      <dl>
        {parameters.map(({ name, in: place, required, schema }) => (
          <Row term={`${textOf(name)} (${textOf(place)})`} words={wantedWords(required === true, schema)} />
        ))}
        {body.map(([type, { schema }]) => (
          <>
            <Row term="Body" words={type} />
            <Fields schema={schema} />
          </>
        ))}
        {membersOf(operation.responses).map(([status, { description }]) => (
          <Row term={status === 'default' ? 'Otherwise' : status} words={textOf(description)} />
        ))}
      </dl>
    </>
  )
}

function Fields({ schema }: { readonly schema: Json | undefined }) {
  if (!isJsonObject(schema)) return <></>
  const [form] = objectsIn(schema.anyOf)
  if (schema.properties === undefined && form) return <Fields schema={form} />
  const needed = Array.isArray(schema.required) ? schema.required : []
  return (
    <>
      {membersOf(schema.properties).map(([name, field]) => (
        <Row term={`· ${name}`} words={wantedWords(needed.includes(name), field)} />
      ))}
    </>
  )
}

function wantedWords(isRequired: boolean, schema: Json | undefined): string {
  return [isRequired ? 'required' : '', wordsOf(schema)].filter((each) => each !== '').join(': ')
}

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
