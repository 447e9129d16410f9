import { formatJson } from '../client/json.ts'

const CONTROLS = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

export function clean(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, '\ufffd')
}

export function formatProblem({ path, message }: { readonly path?: unknown; readonly message?: unknown }): string {
  return `  ${path === '' || path === undefined ? '' : `${String(path)}: `}${String(message)}`
}

export function toSingleLine(text: string, width: number): string {
  const line = clean(text).replaceAll(/\s+/g, ' ').trim()
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`
}

export function formatJsonText(value: unknown): string {
  const text = formatJson(value, 2) ?? 'null'
  return text.replace(CONTROLS, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
}

export type StyledText = string | readonly [Style, string]

export function formatStyledLine(parts: readonly StyledText[], colored: boolean): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return indentLines(part)
      const [style, text] = part
      const [begin, end] = CODES[style]
      return colored ? `\x1b[${begin}m${indentLines(text)}\x1b[${end}m` : indentLines(text)
    })
    .join('')
}

function indentLines(text: string): string {
  return clean(text).replaceAll(/\n(?=[^\n])/g, '\n      ')
}
