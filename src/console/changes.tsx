import { apartOf } from './apart.ts'

/** A difference between two versions, as `GET /tools/{id}/versions` tells it. */
export interface ToldChange {
  readonly path: string
  readonly what: string
  readonly level: string
  /** What was said, and what is; neither where it is no text that differs, or too long a one. */
  readonly before?: string
  readonly after?: string
}

/** What differs between two versions, in the order in which it is told: of texts what they were and are. */
export function Changes({ changes }: { changes: readonly ToldChange[] }) {
  if (changes.length === 0) return <p class="note">Nothing that callers or models read has changed.</p>
  return (
    <ul class="plain changes">
      {changes.map((change) => (
        <li>
          {change.level === 'major' ? <strong>Breaks callers: </strong> : undefined}
          {change.what} <code>{change.path}</code>
          <Texts {...change} />
        </li>
      ))}
    </ul>
  )
}

function Texts({ before, after }: ToldChange) {
  if (before === undefined && after === undefined) return undefined
  const { start, gone, come, end } = apartOf(before ?? '', after ?? '')
  return (
    <dl class="texts">
      {before === undefined ? undefined : (
        <>
          <dt>Was</dt>
          <dd>
            {start}
            {gone === '' ? undefined : <del>{gone}</del>}
            {end}
          </dd>
        </>
      )}
      {after === undefined ? undefined : (
        <>
          <dt>Is</dt>
          <dd>
            {start}
            {come === '' ? undefined : <ins>{come}</ins>}
            {end}
          </dd>
        </>
      )}
    </dl>
  )
}
