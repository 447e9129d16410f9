import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { formatCurl } from '../../docs/curl.ts'
import { REFERENCE } from '../../docs/frame.tsx'
import { Copyable } from '../../http/page/rows.tsx'
import { toSchemaRow, toSchemaRows, schemaColumns, type SchemaRow, formatType } from '../../http/page/schema-table.tsx'
import { type Column, DataTable } from '../../http/page/table.tsx'
import { indentedJson } from '../../http/page/text.ts'
import { findComponentName, resolveRefs } from './describe.ts'
import type { DocumentedBody, DocumentedOperation, DocumentedParameter, DocumentedResponse } from './operations.ts'

interface OperationSectionProps {
  readonly operation: DocumentedOperation
  readonly components: JsonObject
  readonly origin: string
}

export function OperationSection({ operation, components, origin }: OperationSectionProps) {
  const { id, method, path, summary, credential, scope, parameters, body, responses } = operation
  const name = `${method} ${path}`
  const needs = credential === 'none' ? 'no credential' : scope === undefined ? 'a credential' : `the scope ${scope}`
  return (
    <>
      <h2 id={id}>
        <a class="anchor" href={`#${id}`}>
          <code>{name}</code>
        </a>
      </h2>
      <p>
        {summary}. Needs {needs}.
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
          <Body label={`Body of ${name}`} body={body} components={components} />
        </>
      )}
      <h3>Example</h3>
      <Copyable text={formatCommand(operation, origin)} />
      <h3>Responses</h3>
      {responses.map((response) => (
        <ResponseSection label={`Response ${response.status} of ${name}`} response={response} components={components} />
      ))}
    </>
  )
}

type ParameterRow = SchemaRow & Pick<DocumentedParameter, 'in'>

const COLUMNS = schemaColumns((text) => text)
const PARAMETER_COLUMNS: readonly Column<ParameterRow>[] = [
  ...COLUMNS.slice(0, 1),
  { title: 'In', cell: (row) => row.in },
  ...COLUMNS.slice(1),
]

function parameterRow({ name, in: location, required, description, schema }: DocumentedParameter): ParameterRow {
  return { ...toSchemaRow(name, { ...schema, description }, required), in: location }
}

interface Labelled {
  readonly label: string
  readonly components: JsonObject
}

function Body({ label, body: { type, schema }, components }: Labelled & { readonly body: DocumentedBody }) {
  const [firstForm, ...otherForms] = listForms(schema, components)
  if (firstForm === undefined) return <p>{type === '*/*' ? 'A file of any type.' : <code>{type}</code>}</p>
  const rows = toSchemaRows(firstForm)
  const firstRows = new Set(rows.map((row) => JSON.stringify(row)))
  return (
    <>
      {rows.length === 0 ? <p>Type: {formatType(firstForm)}.</p> : <FieldsTable label={label} rows={rows} />}
      {otherForms.map((form, index) => (
        <OtherForm
          label={`${label}, form ${index + 2}`}
          form={form}
          rows={toSchemaRows(form).filter((row) => !firstRows.has(JSON.stringify(row)))}
        />
      ))}
    </>
  )
}

/** Shows only rows that the first form does not have. */
function OtherForm({ label, form, rows }: FieldsProps & { readonly form: Json }) {
  const names = new Set(rows.map(({ name }) => name.split(/[.[ ]/)[0]))
  if (names.size > 0) return <FoldedFields label={label} rows={rows} summary={`Or with ${[...names].join(', ')}`} />
  return <p>Or: {isJsonObject(form) && typeof form.description === 'string' ? form.description : formatType(form)}.</p>
}

/** Links errors to the index, which describes them once. */
function ResponseSection({ label, response, components }: Labelled & { readonly response: DocumentedResponse }) {
  const { status, description, schema, type, example } = response
  const error = schema && !status.startsWith('2') ? findComponentName(schema) : undefined
  const rows = error === undefined ? rowsIn(schema, components) : []
  return (
    <>
      <p>
        <strong>{status}</strong> {description}
        {error === undefined ? undefined : (
          <>
            : <a href={`${REFERENCE.href}#${error}`}>{error}</a>
          </>
        )}
        {type === undefined ? '' : ` (${type})`}
      </p>
      <FoldedFields label={label} rows={rows} summary={rows.length === 1 ? '1 field' : `${rows.length} fields`} />
      {example === undefined ? undefined : <Copyable text={indentedJson(example)} />}
    </>
  )
}

interface FieldsProps {
  readonly label: string
  readonly rows: readonly SchemaRow[]
}

function FoldedFields({ summary, ...fields }: FieldsProps & { readonly summary: string }) {
  if (fields.rows.length === 0) return <></>
  return (
    <details>
      <summary>{summary}</summary>
      <FieldsTable {...fields} />
    </details>
  )
}

export function FieldsTable({ label, rows }: FieldsProps) {
  return <DataTable label={label} columns={COLUMNS} items={rows} />
}

export function rowsIn(schema: Json | undefined, components: JsonObject): readonly SchemaRow[] {
  return listForms(schema, components).flatMap(toSchemaRows)
}

function listForms(schema: Json | undefined, components: JsonObject): readonly Json[] {
  if (schema === undefined) return []
  const resolvedSchema = resolveRefs(schema, components)
  return isJsonObject(resolvedSchema) && resolvedSchema.properties === undefined && isJsonArray(resolvedSchema.anyOf)
    ? resolvedSchema.anyOf
    : [resolvedSchema]
}

function formatCommand({ method, path: template, credential, parameters, body }: DocumentedOperation, origin: string) {
  const query = new URLSearchParams()
  let path = template
  for (const { name, in: location, example } of parameters) {
    if (location === 'path')
      path = path.replace(`{${name}}`, encodeURIComponent(String(example)).replaceAll('%40', '@'))
    else if (example !== undefined) query.append(name, String(example))
  }
  if (query.size > 0) path += `?${query}`
  const { type, example } = body ?? {}
  const text = example === undefined || typeof example === 'string' ? example : indentedJson(example)
  const request = { method, path, body: text, type: type === '*/*' ? 'text/plain' : (type ?? '') }
  return formatCurl(request, origin, credential === 'none', credential === 'agent' ? 'ACCESS_TOKEN' : undefined)
}
