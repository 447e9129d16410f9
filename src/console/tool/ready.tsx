import type { ApiAnswers } from '../../api/answers.ts'
import { Notice } from '../parts.tsx'

interface ReadinessProps {
  readonly readiness: ApiAnswers['GET /tools/:id/readiness']
}

export function StatusNotice({ readiness: { status } }: ReadinessProps) {
  const { state, message, successor }: { state: string; message?: string; successor?: string } = status
  if (state === 'active') return undefined
  return (
    <Notice>
      <p>
        This version is {state}
        {message ? `: ${message}` : ''}.
        {successor ? (
          <>
            {' '}
            Its successor is <a href={`/console/tools/${encodeURIComponent(successor)}`}>{successor}</a>.
          </>
        ) : undefined}
        {state === 'pending' ? (
          <>
            {' '}
            Callers do not have it until it was <a href="/console/versions">reviewed</a>.
          </>
        ) : undefined}
      </p>
    </Notice>
  )
}

export function Ready({ readiness: { ready, problems, missing_requirements = {}, user_id } }: ReadinessProps) {
  const links = (missing_requirements.authorization ?? []).filter(({ url }) => url !== undefined)
  return (
    <>
      <p>
        {ready ? 'Yes' : 'Not yet'}
        {user_id === undefined ? '' : `, for the user ${user_id}`}.
      </p>
      {problems.length === 0 ? undefined : (
        <ul>
          {problems.map(({ message, developer_message }) => (
            <li>
              {message}
              {developer_message === undefined ? undefined : <p class="note">{developer_message}</p>}
            </li>
          ))}
        </ul>
      )}
      {links.map(({ id, url }) => (
        <p>
          <a href={url}>Let it have access to {id}</a>
        </p>
      ))}
    </>
  )
}
