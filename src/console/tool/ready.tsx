import { Notice } from '../parts.tsx'

/** As `GET /tools/{id}/readiness` gives it (`core/call/readiness.ts`). */
export interface Told {
  readonly tool: string
  readonly ready: boolean
  readonly status: { readonly state: string; readonly message?: string; readonly successor?: string }
  readonly user_id?: string
  /** The one that holds. */
  readonly security_level?: number
  /** Whether a person must approve each call. */
  readonly approval?: boolean
  readonly problems: readonly { readonly message: string; readonly developer_message?: string }[]
  readonly missing_requirements?: {
    readonly authorization?: readonly { readonly id: string; readonly url?: string }[]
  }
  /** The inputs that the context of a call gives, since no model may infer them. */
  readonly context?: readonly string[]
}

/** What is said of a version that is not active, and what to call in its place. */
export function Standing({ told: { status } }: { told: Told }) {
  const { state, message, successor } = status
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

/** Whether a call could run now, and what is in the way. */
export function Ready({ told: { ready, problems, missing_requirements = {}, user_id } }: { told: Told }) {
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
