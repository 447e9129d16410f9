import type { ApiAnswers } from '../../api/answers.ts'
import { Copyable } from '../../http/page/rows.tsx'

type Reports = readonly Pick<ApiAnswers['POST /toolkits/import'], 'providers'>[]

const STATES = {
  existing: 'exists',
  new: 'is added by the import:',
  missing: 'is missing: an administrator adds it with this body, at',
}

/** If several reports have a provider, only the first shows whether it was added. */
export function ImportProviders({ reports }: { reports: Reports }) {
  const providers = reports.flatMap((report) => report.providers ?? [])
  const firsts = [...Map.groupBy(providers, ({ id }) => id).values()].flatMap(([first]) => first ?? [])
  if (firsts.length === 0) return undefined
  return (
    <section aria-labelledby="providers">
      <h2 id="providers">Each user's own credentials</h2>
      {firsts.map(({ id, kind, schemes, state, body }) => (
        <>
          <p>
            {schemes.join(', ')}: the provider <code>{id}</code> ({kind}) {STATES[state]}{' '}
            {state === 'missing' && <code>PUT /providers/{encodeURIComponent(id)}</code>}
          </p>
          {body && <Copyable text={JSON.stringify(body)} />}
        </>
      ))}
    </section>
  )
}
