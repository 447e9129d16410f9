import type { JSX } from 'hono/jsx/jsx-runtime'
import { isJsonArray, isJsonObject, type Json } from '../../core/tool/json.ts'
import { truncate } from '../../http/page/text.ts'

/** A page with more values is slow to load. The JSON below the tree has all of them. */
const MAX_VALUES = 300
const MAX_DEPTH = 8
const MAX_OPEN_ENTRIES = 12
const MAX_PREVIEW_CHARACTERS = 80
const MAX_VALUE_CHARACTERS = 2_000

interface TreeState {
  readonly origin: string
  remaining: number
}

/** Shows an object or array, folded below its first level if it has many values, or a single link, but no other value. */
export function JsonTree({ value, origin }: { value: Json; origin: string }) {
  if (typeof value === 'string' && isOpenable(value, origin)) return <OpenLink url={value}>{value}</OpenLink>
  if (typeof value !== 'object' || value === null) return undefined
  return <div class="tree">{renderEntries(value, 0, { origin, remaining: MAX_VALUES })}</div>
}

function renderEntries(value: Json, depth: number, state: TreeState): JSX.Element {
  const entries: readonly [string, Json | undefined][] = isJsonArray(value)
    ? value.map((item, index) => [String(index), item])
    : Object.entries(isJsonObject(value) ? value : {})
  const shownEntries = entries.slice(0, state.remaining)
  state.remaining -= shownEntries.length
  return (
    <ul>
      {shownEntries.map(([key, entry]) => (
        <li>{renderEntry(key, entry ?? null, depth + 1, state)}</li>
      ))}
      {shownEntries.length === entries.length ? undefined : (
        <li class="note">{String(entries.length - shownEntries.length)} more in the JSON below</li>
      )}
    </ul>
  )
}

function renderEntry(key: string, value: Json, depth: number, state: TreeState): JSX.Element {
  const name = <strong>{key}</strong>
  const size = isJsonArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0
  if (size === 0 || depth === MAX_DEPTH || state.remaining === 0) {
    return (
      <>
        {name} {renderValue(value, state.origin)}
      </>
    )
  }
  return (
    <details open={depth === 1 && size <= MAX_OPEN_ENTRIES}>
      <summary>
        {name} <span class="note">{truncate(JSON.stringify(value), MAX_PREVIEW_CHARACTERS)}</span>
      </summary>
      {renderEntries(value, depth, state)}
    </details>
  )
}

function renderValue(value: Json, origin: string): JSX.Element {
  if (typeof value !== 'string' || value === '') return <code>{truncate(JSON.stringify(value))}</code>
  const text = truncate(value, MAX_VALUE_CHARACTERS)
  return isOpenable(value, origin) ? <OpenLink url={value}>{text}</OpenLink> : <span class="said">{text}</span>
}

export function OpenLink({ url, children }: { url: string; children: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** A result may contain any URL. Only https and the deployment's own origin can be opened. */
export function isOpenable(url: string, origin: string): boolean {
  if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url)) return false
  const target = new URL(url)
  return target.protocol === 'https:' || target.origin === origin
}
