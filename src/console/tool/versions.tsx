import type { Reply } from '../page.ts'
import { Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'

/** As `GET /tools/{id}/versions` gives them, the highest first. */
export interface Versions {
  readonly items: readonly VersionItem[]
}

interface VersionItem {
  readonly id: string
  readonly version: string
  readonly status: string
  readonly tags?: readonly string[]
  readonly dialect?: string
  /** What differs from the version before; absent for the first, and for those that are too old to be compared. */
  readonly changes?: readonly { readonly path: string; readonly what: string; readonly level: string }[]
}

/** The versions of a tool, and what changed with each. */
export function VersionList({ versions, current }: { versions: Reply<Versions>; current: string }) {
  if (!versions.ok) return <Refused failure={failureOf(versions)} />
  return (
    <ul>
      {versions.value.items.map(({ id, version, status, changes }) => (
        <li>
          {id === current ? (
            <strong>{version}, this one</strong>
          ) : (
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{version}</a>
          )}
          {status === 'active' ? undefined : <span class="note"> {status}</span>}
          {changes === undefined ? undefined : <Changes changes={changes} />}
        </li>
      ))}
    </ul>
  )
}

function Changes({ changes }: { changes: NonNullable<VersionItem['changes']> }) {
  if (changes.length === 0) return <p class="note">Nothing that callers rely on has changed.</p>
  return (
    <>
      {changes.map(({ path, what, level }) => (
        <p class="note">
          {level === 'major' ? <strong>Breaks callers: </strong> : undefined}
          {what} <code>{path}</code>
        </p>
      ))}
    </>
  )
}
