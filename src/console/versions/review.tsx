import type { ApiAnswers } from '../../api/answers.ts'
import { indentedJson } from '../../http/page/text.ts'
import { Changes } from '../changes.tsx'
import type { PageContext } from '../page-context.ts'
import { FailureNotice } from '../parts.tsx'

export type PendingReview = Awaited<ReturnType<typeof loadReviews>>[number]

export function loadReviews({ fetchRoute }: PageContext, tools: ApiAnswers['GET /tools']['items']) {
  return Promise.all(
    tools.map(async (tool) => {
      const { id } = tool
      const [versions, implementation] = await Promise.all([
        fetchRoute('GET /tools/:id/versions', { id }),
        fetchRoute('GET /tools/:id/implementation', { id }),
      ])
      return { tool, versions, implementation }
    }),
  )
}

export function Review({ tool, versions, implementation }: PendingReview) {
  return (
    <>
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
