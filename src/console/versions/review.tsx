import type { ApiAnswers } from '../../api/answers.ts'
import { hasScope } from '../../core/access/principal.ts'
import { isStringArray } from '../../core/tool/json.ts'
import { indentedJson } from '../../http/page/text.ts'
import { formatCaller } from '../calls/callers.ts'
import { Changes } from '../changes.tsx'
import type { PageContext } from '../page-context.ts'
import { exact, FailureNotice, Time } from '../parts.tsx'
import { buildQuery } from '../query.ts'

export type PendingReview = Awaited<ReturnType<typeof loadReviews>>[number]

const MAX_PUBLICATIONS = '100'

export async function loadReviews({ fetchRoute, principal }: PageContext, tools: ApiAnswers['GET /tools']['items']) {
  const query = buildQuery({ act: 'tools.publish', outcome: 'success', limit: MAX_PUBLICATIONS })
  const audit =
    tools.length > 0 && hasScope(principal, 'records:read') ? fetchRoute('GET /audit', { query }) : undefined
  return Promise.all(
    tools.map(async (tool) => {
      const { id } = tool
      const [versions, implementation, publications] = await Promise.all([
        fetchRoute('GET /tools/:id/versions', { id }),
        fetchRoute('GET /tools/:id/implementation', { id }),
        audit,
      ])
      const publication = publications?.ok
        ? publications.value.items.find(
            ({ about }) => isStringArray(about?.['pending']) && about['pending'].includes(id),
          )
        : undefined
      return { tool, versions, implementation, publication }
    }),
  )
}

export function Review({ tool, versions, implementation, publication }: PendingReview) {
  const version = versions.ok ? versions.value.items.find(({ id }) => id === tool.id) : undefined
  const principal = publication?.principal ?? version?.publisher
  return (
    <>
      {principal ? (
        <p class="note">
          Published by {formatCaller({ ...publication, principal })}
          {publication ? [', ', <Time at={publication.at} />] : undefined}
        </p>
      ) : undefined}
      <Difference tool={tool} versions={versions} />
      {implementation.ok ? (
        <details>
          <summary aria-label={`Implementation of ${tool.id}`}>Implementation</summary>
          <pre>{indentedJson(implementation.value)}</pre>
        </details>
      ) : (
        <p class="note">{implementation.failure.message}.</p>
      )}
    </>
  )
}

export function ReviewButtons({ id }: { id: string }) {
  return (
    <form method="post">
      <input type="hidden" name="id" value={exact(id)} />
      <button class="go" name="to" value="active" aria-label={`Approve ${id}`}>
        Approve
      </button>
      <button class="danger" name="to" value="disabled" aria-label={`Reject ${id}`}>
        Reject
      </button>
    </form>
  )
}

function Difference({ tool, versions }: Pick<PendingReview, 'tool' | 'versions'>) {
  if (!versions.ok) return <FailureNotice failure={versions.failure} />
  const { changes, compared_with, dialect } = versions.value.items.find(({ id }) => id === tool.id) ?? {}
  const description = (
    <p class="said" dir="auto">
      {tool.description}
    </p>
  )
  if (changes === undefined) {
    return (
      <>
        <p class="note">
          {dialect === undefined ? 'Not compared: there are too many newer versions.' : 'This is the first version.'}
        </p>
        {description}
      </>
    )
  }
  return (
    <>
      <p class="note">Changes from {compared_with}:</p>
      <Changes changes={changes} />
      <details>
        <summary aria-label={`Full description of ${tool.id}`}>Full description</summary>
        {description}
      </details>
    </>
  )
}
