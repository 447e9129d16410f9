import { isObject, type JsonRecord } from '../client/json.ts'
import { toSingleLine, type StyledText } from './terminal-text.ts'

/** By heading: the path of the item's field, such as `client.name`, or a function that returns the cell's value. */
export type Columns = Readonly<Record<string, string | ((item: JsonRecord) => unknown)>>

const COLUMN_GAP = 2
/** Columns are not padded beyond this, so that one long id does not push the other columns to the side. */
const MAX_PADDING = 48
const MIN_LAST_COLUMN = 20

/** Splits a text into parts; every second one is bold. */
export type SplitText = (text: string) => readonly string[]

/**
 * Formats items as lines, the first time below the headings. Widths only grow, so that later items stay aligned.
 * Without a width, as in a pipe, cells are separated by tabs.
 */
export function createTable(columns: Columns, width: number, split: SplitText = (text) => [text]) {
  const headings = Object.keys(columns)
  const widths = headings.map(() => 0)
  let hasHeadings = false

  const formatRow = (cells: readonly string[]): readonly string[] => {
    if (width === Infinity) return [cells.join('\t')]
    const padded = cells.slice(0, -1).map((cell, index) => cell.padEnd(widths[index] ?? 0) + ' '.repeat(COLUMN_GAP))
    const remainingWidth = width - padded.reduce((sum, { length }) => sum + length, 0)
    return [...padded, toSingleLine(cells.at(-1) ?? '', Math.max(MIN_LAST_COLUMN, remainingWidth))]
  }

  return (items: readonly JsonRecord[]): readonly (readonly StyledText[])[] => {
    const rows = items.map((item) =>
      Object.values(columns).map((column) => toSingleLine(formatCell(item, column), Infinity)),
    )
    for (const row of [headings, ...rows])
      row.forEach(({ length }, index) => (widths[index] = Math.min(MAX_PADDING, Math.max(widths[index] ?? 0, length))))
    const mark = (text: string) => split(text).map((part, at): StyledText => (at % 2 === 1 ? ['bold', part] : part))
    const lines = rows
      .map(formatRow)
      .map(([first = '', ...rest]): StyledText[] => [['bold', first], ...rest.flatMap(mark)])
    if (hasHeadings || items.length === 0) return lines
    hasHeadings = true
    return [[['dim', formatRow(headings).join('')]], ...lines]
  }
}

function formatCell(item: JsonRecord, column: Columns[string]): string {
  if (typeof column === 'function') return formatText(column(item))
  return formatText(
    column.split('.').reduce<unknown>((value, field) => (isObject(value) ? value[field] : undefined), item),
  )
}

function formatText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(formatText).join(', ')
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .filter(([, fieldValue]) => formatText(fieldValue) !== '')
    .map(([name, fieldValue]) => (fieldValue === true ? name : `${name} ${formatText(fieldValue)}`))
    .join(', ')
}

/** Creates a column of times, in the local time zone. */
export function timeColumn(field: string): Columns[string] {
  return ({ [field]: at }) => (typeof at === 'string' ? new Date(at).toLocaleString('sv-SE') : undefined)
}
