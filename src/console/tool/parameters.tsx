import type { Field } from '../form/fields.ts'
import { Markdown } from '../markdown.tsx'
import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { toSchemaRows, describeConstraints, schemaColumns, formatType } from '../../http/page/schema-table.tsx'
import { Table } from '../table.tsx'

/** A longer table is slow to load. */
const MAX_ROWS = 25
const COLUMNS = schemaColumns((text) => <Markdown text={text} />)

export function Parameters({ schema, caption }: { schema: Json; caption: string }) {
  const rows = toSchemaRows(schema)
  if (rows.length === 0) return <p>{caption === 'Output' ? `Type: ${formatType(schema)}` : 'No parameters.'}</p>
  return (
    <>
      <Table label={caption} columns={COLUMNS} items={rows.slice(0, MAX_ROWS)} />
      {rows.length <= MAX_ROWS ? undefined : <p class="note">See the definition for all fields.</p>}
    </>
  )
}

/** A field's type and constraints. The values of a choice are in its control. */
export function describeFieldType({ kind, schema = true }: Field) {
  const rules = isJsonObject(schema) ? describeConstraints(schema) : []
  if (kind.type === 'several') return { type: 'array of enum', rules }
  const isBoolean = kind.type === 'choice' && typeof kind.values[0] === 'boolean'
  return { type: kind.type !== 'choice' ? formatType(schema) : isBoolean ? 'boolean' : 'enum', rules }
}
