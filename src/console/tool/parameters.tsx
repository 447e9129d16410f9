import type { Field } from '../form/fields.ts'
import { Markdown } from '../markdown.tsx'
import { isJsonObject } from '../../core/tool/json.ts'
import { describeConstraints, formatType, schemaColumns, type SchemaRow } from '../../http/page/schema-table.tsx'
import { truncate } from '../../http/page/text.ts'
import { Table } from '../table.tsx'

/** The limits of a table, because a longer page is slow to load. */
const MAX_ROWS = 25
const MAX_CHARACTERS = 4_000
const MAX_DESCRIPTION_CHARACTERS = 500
const COLUMNS = schemaColumns((text) => <Markdown text={truncate(text, MAX_DESCRIPTION_CHARACTERS)} />)

export function SchemaTable({ label, rows }: { label: string; rows: readonly SchemaRow[] }) {
  let characters = 0
  const shownRows = rows.slice(0, MAX_ROWS).filter((row) => {
    characters += Math.min(JSON.stringify(row).length, MAX_DESCRIPTION_CHARACTERS)
    return characters <= MAX_CHARACTERS
  })
  return (
    <>
      <Table label={label} columns={COLUMNS} items={shownRows} />
      {shownRows.length < rows.length && <p class="note">See the definition for all fields.</p>}
    </>
  )
}

/** Lists the dotted names of fields, as in the rows of a schema. */
export function listFieldNames(fields: readonly Field[], prefix = ''): readonly string[] {
  return fields.flatMap(({ key, kind }) => [
    `${prefix}${key}`,
    ...(kind.type === 'group' ? listFieldNames(kind.fields, `${prefix}${key}.`) : []),
  ])
}

/** Describes a field's type and constraints. The values of a choice are in its control. */
export function describeFieldType({ kind, schema = true }: Field) {
  const rules = isJsonObject(schema) ? describeConstraints(schema) : []
  if (kind.type === 'several') return { type: 'array of enum', rules }
  const isBoolean = kind.type === 'choice' && typeof kind.values[0] === 'boolean'
  return { type: kind.type !== 'choice' ? formatType(schema) : isBoolean ? 'boolean' : 'enum', rules }
}
