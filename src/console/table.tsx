import type { Child } from 'hono/jsx'

/** One column of a table: what it is called, and what stands in it for a thing. */
export interface Column<T> {
  readonly title: string
  /** Undefined or an empty text where there is nothing to say. */
  readonly cell: (item: T) => Child
  /** Whether it is what a row is called. */
  readonly isName?: true
  /** Whether it holds what may be long, which is broken where the line ends. */
  readonly isLong?: true
  /** Whether what stands in it says itself what it is, such as a button. */
  readonly isAct?: true
}

interface TableProps<T> {
  /** What it lists, for those who do not see it. */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  /** Where those are that come after these. */
  readonly more?: { readonly href: string; readonly label: string } | undefined
}

/** Things as rows. Where it is narrow each row is set out below the other, with what each cell is called. */
export function Table<T>({ label, columns, items, more }: TableProps<T>) {
  return (
    <>
      <div class="scroll" role="region" aria-label={label} tabindex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ title }) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr>
                {columns.map(({ title, cell, isName, isLong, isAct }) => {
                  const marks = {
                    ...(isAct ? {} : { 'data-label': title }),
                    ...(isLong ? { class: 'long' } : {}),
                  }
                  return isName ? (
                    <th scope="row" {...marks}>
                      {cell(item)}
                    </th>
                  ) : (
                    <td {...marks}>{cell(item)}</td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more === undefined ? undefined : (
        <p>
          <a class="button" rel="next" href={more.href}>
            {more.label}
          </a>
        </p>
      )}
    </>
  )
}
