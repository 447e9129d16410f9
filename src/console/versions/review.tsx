import type { Json } from '../../core/tool/json.ts'
import { indentedJson } from '../../http/page/text.ts'
import { Changes } from '../changes.tsx'
import type { ListedTool } from '../listed-tool.ts'
import type { Reply, Visit } from '../page.ts'
import { Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import type { Versions } from '../tool/versions.tsx'

/** What whoever decides about a version looks at beside what it says of itself. */
export interface ToReview {
  readonly tool: ListedTool
  readonly versions: Reply<Versions>
  readonly implementation: Reply<Json>
}

/** Reads how versions differ from what callers have, and what they run. */
export function readToReview(visit: Visit, tools: readonly ListedTool[]): Promise<readonly ToReview[]> {
  return Promise.all(
    tools.map(async (tool) => {
      const route = `/tools/${encodeURIComponent(tool.id)}`
      const [versions, implementation] = await Promise.all([
        visit.ask<Versions>('GET', `${route}/versions`),
        visit.ask<Json>('GET', `${route}/implementation`),
      ])
      return { tool, versions, implementation }
    }),
  )
}

/** How a version differs from what callers have, what models read first of all, and what it runs. */
export function Review({ tool, versions, implementation }: ToReview) {
  return (
    <>
      <Difference tool={tool} versions={versions} />
      {implementation.ok ? (
        <details>
          <summary aria-label={`What ${tool.id} runs`}>What it runs</summary>
          <pre>{indentedJson(implementation.value)}</pre>
        </details>
      ) : (
        <p class="note">{failureOf(implementation).message}.</p>
      )}
    </>
  )
}

function Difference({ tool, versions }: Pick<ToReview, 'tool' | 'versions'>) {
  if (!versions.ok) return <Refused failure={failureOf(versions)} />
  const { changes, compared_with, dialect } = versions.value.items.find(({ id }) => id === tool.id) ?? {}
  if (changes === undefined) {
    return (
      <>
        <p class="note">
          {dialect === undefined
            ? 'Too many versions are above it, so it was compared with none.'
            : 'Callers have no version before it, so all of it is new.'}
        </p>
        <p class="said" dir="auto">
          {tool.description}
        </p>
      </>
    )
  }
  return (
    <>
      <p class="note">What differs from {compared_with}, which callers have:</p>
      <Changes changes={changes} />
      <details>
        <summary aria-label={`The whole description of ${tool.id}`}>Its whole description</summary>
        <p class="said" dir="auto">
          {tool.description}
        </p>
      </details>
    </>
  )
}
