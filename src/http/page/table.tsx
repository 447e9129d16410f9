import type { Child } from 'hono/jsx'

export interface Column<T> {
  readonly title: string
  readonly cell: (item: T) => Child
  readonly isName?: true
  /** Long words break at the end of the line. */
  readonly isLong?: true
  readonly isNumber?: true
  /** Set if the content, such as a button, needs no title. */
  readonly isAction?: true
}

export interface DataTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  /** Rows with the same heading are grouped below it. */
  readonly groupBy?: (item: T) => string | undefined
}

/** Shows items as rows. On a narrow screen, each cell is a line after its column's title. */
export function DataTable<T>({ label, columns, items, groupBy = () => undefined }: DataTableProps<T>) {
  return (
    <div class="scroll" role="region" aria-label={label} tabindex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th scope="col" class={isNumber && 'number'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {[...Map.groupBy(items, groupBy)].map(([heading, rows]) => (
          <tbody>
            {heading === undefined ? undefined : (
              <tr class="group">
                <th scope="rowgroup" colspan={columns.length}>
                  {heading}
                </th>
              </tr>
            )}
            {rows.map((item) => (
              <tr>
                {columns.map(({ title, cell, isName, isLong, isNumber, isAction }) => {
                  const attributes = {
                    'data-label': isAction ? undefined : title,
                    'class': isLong ? 'long' : isNumber && 'number',
                  }
                  return isName ? (
                    <th scope="row" {...attributes}>
                      {cell(item)}
                    </th>
                  ) : (
                    <td {...attributes}>{cell(item)}</td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}
