import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { curlOf } from '../../docs/curl.ts'
import type { ReferenceWords } from '../../docs/docs.ts'
import { REFERENCE } from '../../docs/frame.tsx'
import { Copyable } from '../../http/page/rows.tsx'
import { rowsOf, schemaColumns, type SchemaRow, typeOf } from '../../http/page/schema-table.tsx'
import { type Column, DataTable } from '../../http/page/table.tsx'
import { indentedJson } from '../../http/page/text.ts'
import { componentOf } from './describe.ts'
import { bodyOf, type DocumentedOperation, formsOf, membersOf, objectsIn, textOf } from './documented.ts'

interface Shown {
  readonly document: JsonObject
  readonly examples: ReferenceWords['examples']
  readonly origin: string
}

export function OperationSection({ id, method, path, summary, operation, ...shown }: DocumentedOperation & Shown) {
  const { document } = shown
  const name = `${method} ${path}`
  const body = bodyOf(operation)
  const parameters = objectsIn(operation.parameters)
  return (
    <>
      <h2 id={id}>
        <a class="anchor" href={`#${id}`}>
          <code>{name}</code>
        </a>
      </h2>
      <p>
        {summary}. {credentialWords(operation)}
      </p>
      {parameters.length === 0 ? undefined : (
        <>
          <h3>Parameters</h3>
          <DataTable label={`Parameters of ${name}`} columns={PARAMETER_COLUMNS} items={parameters.map(parameterRow)} />
        </>
      )}
      {body && (
        <>
          <h3>Request body</h3>
          <Body label={`Body of ${name}`} type={body[0]} schema={body[1].schema} document={document} />
        </>
      )}
      <h3>Example</h3>
      <Copyable text={commandOf(name, operation, shown)} />
      <h3>Responses</h3>
      {membersOf(operation.responses).map(([status, response]) => (
        <Answer label={`Response ${status} of ${name}`} status={status} response={response} document={document} />
      ))}
    </>
  )
}

const [NAME, ...TYPE_AND_DESCRIPTION] = schemaColumns((text) => text)
type ParameterRow = SchemaRow & { readonly place: string }
const PARAMETER_COLUMNS: readonly Column<ParameterRow>[] = [
  ...(NAME ? [NAME] : []),
  { title: 'In', cell: ({ place }) => place },
  ...TYPE_AND_DESCRIPTION,
]

function parameterRow({ name, in: place, required, description, schema = {} }: JsonObject): ParameterRow {
  const property = { ...(isJsonObject(schema) ? schema : {}), description: textOf(description) }
  const [row] = rowsOf({ properties: { [textOf(name)]: property }, required: required === true ? [textOf(name)] : [] })
  return { ...(row ?? { name: '', type: '', isRequired: false, description: '', rules: [] }), place: textOf(place) }
}

interface BodyProps {
  readonly label: string
  readonly type: string
  readonly schema: Json | undefined
  readonly document: JsonObject
}

/** The first form of several is open; of the others, what they have that it has not. */
function Body({ label, type, schema, document }: BodyProps) {
  const [first, ...others] = formsOf(schema, document)
  if (first === undefined) return <p>{type === '*/*' ? 'A file of any type.' : <code>{type}</code>}</p>
  const known = new Set(rowsOf(first).map((row) => JSON.stringify(row)))
  return (
    <>
      <Fields label={label} rows={rowsOf(first)} type={typeOf(first)} />
      {others.map((form, index) => {
        const rows = rowsOf(rowsFrom(form)).filter((row) => !known.has(JSON.stringify(row)))
        if (rows.length === 0 || isListOf(form, [first, ...others])) return <p>Or: {wordsOf(form)}.</p>
        return (
          <details>
            <summary>Or: {wordsOf(form, rows)}</summary>
            <DataTable label={`${label}, form ${index + 2}`} columns={FIELD_COLUMNS} items={rows} />
          </details>
        )
      })}
    </>
  )
}

function wordsOf(form: Json, rows: readonly SchemaRow[] = []): string {
  const { description, type } = isJsonObject(form) ? form : {}
  if (typeof description === 'string') return description
  if (type === 'array') return 'an array of these'
  const outer = rows.filter(({ name }) => !isWithin(name))
  return `with ${(outer.length > 0 ? outer : rows).map(({ name }) => name).join(', ')}`
}

/** Whether it is a list of what its neighbours are. */
function isListOf(form: Json, forms: readonly Json[]): boolean {
  if (!isJsonObject(form) || form.type !== 'array') return false
  const rest = forms.filter((each) => each !== form)
  return [...rest, { anyOf: rest }].some((each) => JSON.stringify(each) === JSON.stringify(form.items))
}

/** A list has a row for what lies in its items. */
function rowsFrom(schema: Json): Json {
  const { items } = isJsonObject(schema) ? schema : {}
  return items === undefined ? schema : { properties: { '[]': items } }
}

interface FieldsProps {
  readonly label: string
  readonly type: string
  readonly rows: readonly SchemaRow[]
}

/** Fields of a body; those within them are in a table that is opened. */
function Fields({ label, type, rows }: FieldsProps) {
  if (rows.length === 0) return <p>Type: {type}.</p>
  const inner = rows.filter(({ name }) => isWithin(name))
  return (
    <>
      <DataTable label={label} columns={FIELD_COLUMNS} items={rows.filter(({ name }) => !isWithin(name))} />
      {inner.length === 0 ? undefined : (
        <details>
          <summary>{inner.length === 1 ? '1 nested field' : `${inner.length} nested fields`}</summary>
          <DataTable label={`${label}, nested`} columns={FIELD_COLUMNS} items={inner} />
        </details>
      )}
    </>
  )
}

export const FIELD_COLUMNS = schemaColumns((text) => text)
const isWithin = (name: string) => /[.[(]/.test(name)

interface AnswerProps {
  readonly label: string
  readonly status: string
  readonly response: JsonObject
  readonly document: JsonObject
}

function Answer({ label, status, response, document }: AnswerProps) {
  const [[type, { schema, example }] = ['', {} as JsonObject]] = membersOf(response.content)
  const failure =
    isJsonObject(schema) && (status === 'default' || Number(status) >= 400) ? componentOf(schema) : undefined
  const words = textOf(response.description)
  if (failure !== undefined) {
    return (
      <p>
        <strong>{status === 'default' ? 'Errors' : status}</strong> {status === 'default' ? '' : `${words}: `}
        <a href={`${REFERENCE.href}#${failure}`}>{failure}</a>
      </p>
    )
  }
  const rows = answerRows(schema, document)
  return (
    <>
      <p>
        <strong>{status}</strong> {words}
        {schema === undefined && type !== '' ? ` (${type})` : ''}
      </p>
      {rows.length === 0 ? undefined : (
        <details>
          <summary>{rows.length === 1 ? '1 field' : `${rows.length} fields`}</summary>
          <DataTable label={label} columns={FIELD_COLUMNS} items={rows} />
        </details>
      )}
      {example === undefined ? undefined : <Copyable text={indentedJson(example)} />}
    </>
  )
}

export function answerRows(schema: Json | undefined, document: JsonObject): readonly SchemaRow[] {
  return formsOf(schema, document).flatMap((form) => rowsOf(rowsFrom(form)).filter(({ name }) => name !== '[]'))
}

function commandOf(name: string, operation: JsonObject, { examples, origin }: Shown): string {
  const [method = '', template = ''] = name.split(' ')
  const query = new URLSearchParams()
  let path = template
  for (const { name: parameter, in: place, example } of objectsIn(operation.parameters)) {
    if (place === 'path')
      path = path.replace(`{${textOf(parameter)}}`, encodeURIComponent(textOf(example)).replaceAll('%40', '@'))
    else if (example !== undefined) query.append(textOf(parameter), String(example))
  }
  if (query.size > 0) path += `?${query}`
  const [type, { example }] = bodyOf(operation) ?? ['', {} as JsonObject]
  const body = example === undefined ? examples[name]?.sends : indentedJson(example)
  const request = { method, path, body, type: type === '*/*' ? 'text/plain' : type }
  const [security] = objectsIn(operation.security)
  return curlOf(request, origin, security === undefined, security?.agent ? 'ACCESS_TOKEN' : undefined)
}

function credentialWords({ security }: JsonObject): string {
  const [first] = objectsIn(security)
  if (!first) return 'Needs no credential.'
  const scopes = Object.values(first).flat()
  return scopes.length === 0 ? 'Needs a credential.' : `Needs the scope ${scopes.join(', ')}.`
}
