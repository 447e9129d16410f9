import { Copyable } from '../../http/page/rows.tsx'
import { FORMAT_NAMES } from '../../core/publish/format-names.ts'
import type { EncodeResult } from '../../core/tool/codec.ts'
import { truncate, indentedJson } from '../../http/page/text.ts'
import type { Crumb, PageContext, View } from '../visit.ts'
import { Chips, FailureNotice, FoldedList } from '../parts.tsx'

/** A page shows OXP once: its flat form says the same. */
export const FORMATS = new Map([...FORMAT_NAMES].filter(([name]) => name !== 'oxp-flat'))

export function DefinitionLinks({ path, current }: { path: string; current?: string }) {
  const chips = [...FORMATS].map(([name, text]) => {
    return { text, href: `${path}?format=${name}`, isCurrent: name === current }
  })
  return <Chips label="Dialects and exports" chips={chips} />
}

/** A page of its own, since definitions are longer than all else that is shown of a tool. */
export async function definitionView({ url, params, fetchRoute: ask }: PageContext, format: string): Promise<View> {
  const id = params['id'] ?? ''
  const encoded = await ask('GET /tools/:id?losses=1', { id, query: new URLSearchParams({ format }) })
  return {
    title: `Definition of ${id}`,
    trail: [...buildTrail(id), { text: id, href: url.pathname }],
    status: encoded.status,
    content: (
      <>
        <DefinitionLinks path={url.pathname} current={format} />
        {encoded.ok ? <Text {...encoded.value} /> : <FailureNotice failure={encoded.failure} />}
      </>
    ),
  }
}

export function buildTrail(id: string): readonly Crumb[] {
  const [toolkit = ''] = id.split('.')
  return [
    { text: 'Catalog', href: '/' },
    { text: toolkit, href: `/?${new URLSearchParams({ toolkit })}` },
  ]
}

/** In characters: the definitions of most tools are a tenth of it, and a page of more is slow to load. */
const MAX_SHOWN = 24_000

function Text({ document, losses }: EncodeResult) {
  const text = indentedJson(document)
  const lost = losses.map(({ path, reason }) => (
    <>
      <code>{path}</code> {reason}
    </>
  ))
  return (
    <>
      {text.length <= MAX_SHOWN ? undefined : (
        <p class="note">
          Only the beginning is shown. To get all of it, use the request under “API requests of this page”.
        </p>
      )}
      <Copyable text={truncate(text, MAX_SHOWN)} />
      <FoldedList title="Not included in this format" items={lost} />
    </>
  )
}
