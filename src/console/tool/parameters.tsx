import type { Json } from '../../core/tool/json.ts'
import { type Column, Table } from '../table.tsx'
import { rowsOf, type SchemaRow, typeOf } from './schema-rows.ts'

const COLUMNS: readonly Column<SchemaRow>[] = [
  {
    title: 'Name',
    isName: true,
    isLong: true,
    cell: ({ name, isRequired }) => (
      <>
        <code>{name}</code>
        {isRequired ? <span class="note"> required</span> : undefined}
      </>
    ),
  },
  { title: 'Kind', cell: ({ type }) => type },
  {
    title: 'What it is',
    cell: ({ description, rules }) =>
      description === '' && rules.length === 0 ? undefined : (
        <>
          {description}
          {rules.length === 0 ? undefined : <div class="note">{rules.join('; ')}</div>}
        </>
      ),
  },
]

/** A schema as a table that a person reads. */
export function Parameters({ schema, caption }: { schema: Json; caption: string }) {
  const rows = rowsOf(schema)
  if (rows.length === 0) return <p>{caption === 'Output' ? `It gives: ${typeOf(schema)}.` : 'It takes none.'}</p>
  return <Table label={caption} columns={COLUMNS} items={rows} />
}
