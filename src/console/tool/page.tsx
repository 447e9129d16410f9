import type { Json } from '../../core/tool/json.ts'
import type { Leads, Reply, View, Visit } from '../page.ts'
import { Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { Definition, FORMATS, type Written } from './definition.tsx'
import { Parameters } from './parameters.tsx'
import { type Told, Ready } from './ready.tsx'

/** As `GET /tools/{id}?format=oxp-flat` gives it. */
export interface Described {
  readonly id: string
  readonly description: string
  readonly input_schema: Json
  readonly output_schema: Json
}

/** One tool: what it is, what it takes and gives, whether it could be called, and its definition in every dialect. */
export async function show(visit: Visit): Promise<View | Leads> {
  const asked = visit.params['id'] ?? ''
  const route = `/tools/${encodeURIComponent(asked)}`
  const wanted = visit.url.searchParams.get('format') ?? 'oxp'
  const format = FORMATS.has(wanted) ? wanted : 'oxp'
  const [described, ready, written] = await Promise.all([
    visit.ask<Described>('GET', `${route}?format=oxp-flat`),
    visit.ask<Told>('GET', `${route}/readiness`),
    visit.ask<Written>('GET', `${route}?format=${format}&losses=1`),
  ])
  if (!described.ok) return missing(described)
  const { id, description, input_schema, output_schema } = described.value
  const [name = id, version = ''] = id.split('@')
  return {
    title: name,
    content: (
      <>
        <p class="note">Version {version}</p>
        <p>{description}</p>
        <section aria-labelledby="ready">
          <h2 id="ready">Could it be called now?</h2>
          {ready.ok ? <Ready told={ready.value} /> : <Refused failure={failureOf(ready)} />}
        </section>
        <section aria-labelledby="input">
          <h2 id="input">What it takes</h2>
          <Parameters schema={input_schema} caption="Input" />
        </section>
        <section aria-labelledby="output">
          <h2 id="output">What it gives</h2>
          {output_schema === null ? <p>Nothing.</p> : <Parameters schema={output_schema} caption="Output" />}
        </section>
        <Definition path={visit.url.pathname} format={format} written={written} />
      </>
    ),
  }
}

/** What is hidden is as good as unknown: the route says the same of both. */
function missing(reply: Reply<unknown>): View {
  const { status } = reply
  return {
    title: 'No such tool',
    status: status >= 400 ? status : 404,
    content: (
      <>
        <Refused failure={failureOf(reply)} />
        <p>
          <a href="/">All tools</a>
        </p>
      </>
    ),
  }
}
