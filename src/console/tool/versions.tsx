import type { Reply } from '../page.ts'
import { Changes, type ToldChange } from '../changes.tsx'
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
  /** The version that it is compared with, which is the one before; absent for the first, and for those that are too old. */
  readonly compared_with?: string
  /** What differs from that. */
  readonly changes?: readonly ToldChange[]
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
          {changes === undefined ? undefined : (
            <details open={id === current}>
              <summary>{summaryOf(changes)}</summary>
              <Changes changes={changes} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

function summaryOf(changes: readonly ToldChange[]): string {
  const breaking = changes.filter(({ level }) => level === 'major').length
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  return breaking === 0 ? count : `${count}, ${breaking} of which ${breaking === 1 ? 'breaks' : 'break'} callers`
}
