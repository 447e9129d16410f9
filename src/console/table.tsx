import { DataTable, type DataTableProps } from '../http/page/table.tsx'
import { NextLink, Notice } from './parts.tsx'

export type { Column } from '../http/page/table.tsx'

interface TableProps<T> extends DataTableProps<T> {
  readonly none?: string
  readonly more?: { readonly href: string; readonly label: string } | undefined
}

export function Table<T>({ none, more, ...table }: TableProps<T>) {
  if (table.items.length === 0 && none !== undefined) return <Notice>{none}</Notice>
  return (
    <>
      <DataTable {...table} />
      {more && <NextLink {...more} />}
    </>
  )
}
