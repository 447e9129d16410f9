import { DataTable, type DataTableProps } from '../http/page/table.tsx'
import { NextLink, Notice } from './parts.tsx'

export type { Column } from '../http/page/table.tsx'

interface TableProps<T> extends DataTableProps<T> {
  readonly emptyMessage?: string
  readonly nextPage?: { readonly href: string; readonly label: string } | undefined
}

export function Table<T>({ emptyMessage, nextPage, ...tableProps }: TableProps<T>) {
  if (tableProps.items.length === 0 && emptyMessage !== undefined) return <Notice>{emptyMessage}</Notice>
  return (
    <>
      <DataTable {...tableProps} />
      {nextPage && <NextLink {...nextPage} />}
    </>
  )
}
