import type { ApiAnswers } from '../../api/answers.ts'
import { indentedJson } from '../../http/page/text.ts'
import { Changes } from '../changes.tsx'
import type { PageContext } from '../visit.ts'
import { FailureNotice } from '../parts.tsx'

export type ToReview = Awaited<ReturnType<typeof readToReview>>[number]

export function readToReview({ fetchRoute: ask }: PageContext, tools: ApiAnswers['GET /tools']['items']) {
  return Promise.all(
    tools.map(async (tool) => {
      const { id } = tool
      const [versions, implementation] = await Promise.all([
        ask('GET /tools/:id/versions', { id }),
        ask('GET /tools/:id/implementation', { id }),
      ])
      return { tool, versions, implementation }
    }),
  )
}

export function Review({ tool, versions, implementation }: ToReview) {
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

function Difference({ tool, versions }: Pick<ToReview, 'tool' | 'versions'>) {
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
