import type { ApiAnswers } from '../../api/answers.ts'
import { Changes, type ChangesProps } from '../changes.tsx'
import type { Reply } from '../page.ts'
import { FailureNotice } from '../parts.tsx'

interface VersionListProps {
  readonly versions: Reply<ApiAnswers['GET /tools/:id/versions']>
  readonly current: string
}

export function VersionList({ versions, current }: VersionListProps) {
  if (!versions.ok) return <FailureNotice failure={versions.failure} />
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

function summaryOf(changes: ChangesProps['changes']): string {
  const breaking = changes.filter(({ level }) => level === 'major').length
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  return breaking === 0 ? count : `${count}, ${breaking} of which ${breaking === 1 ? 'breaks' : 'break'} callers`
}
