import type { Json } from '../../core/tool/json.ts'
import { rowsOf, typeOf } from './schema-rows.ts'

/** A schema as a table that a person reads. */
export function Parameters({ schema, caption }: { schema: Json; caption: string }) {
  const rows = rowsOf(schema)
  if (rows.length === 0) return <p>{caption === 'Output' ? `It gives: ${typeOf(schema)}.` : 'It takes none.'}</p>
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">What it is</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, type, isRequired, description, rules }) => (
            <tr>
              <th scope="row">
                <code>{name}</code>
                {isRequired ? <span class="note"> required</span> : undefined}
              </th>
              <td>{type}</td>
              <td>
                {description}
                {rules.length === 0 ? undefined : <div class="note">{rules.join('; ')}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
