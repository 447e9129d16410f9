import { Copyable } from '../../http/page/rows.tsx'
import { FORMAT_NAMES } from '../../core/tool/format-names.ts'
import type { EncodeResult } from '../../core/tool/codec.ts'
import { truncate, indentedJson } from '../../http/page/text.ts'
import type { Crumb, PageContext, View } from '../page-context.ts'
import { Chips, FailureNotice, FoldedList } from '../parts.tsx'

/** Leaves out flat OXP, which has the same content as OXP. */
export const FORMATS = new Map([...FORMAT_NAMES].filter(([name]) => name !== 'oxp-flat'))

export function DefinitionLinks({ path, current }: { path: string; current?: string }) {
  const chips = [...FORMATS].map(([name, text]) => {
    return { text, href: `${path}?format=${name}`, isCurrent: name === current }
  })
  return <Chips label="Dialects and exports" chips={chips} />
}

/** Renders a separate page, because definitions are longer than the rest of a tool's page. */
export async function renderDefinition({ url, params, fetchRoute }: PageContext, format: string): Promise<View> {
  const id = params['id'] ?? ''
  const reply = await fetchRoute('GET /tools/:id?losses=1', { id, query: new URLSearchParams({ format }) })
  return {
    title: `Definition of ${id}`,
    trail: [...buildTrail(id), { text: id, href: url.pathname }],
    status: reply.status,
    content: (
      <>
        <DefinitionLinks path={url.pathname} current={format} />
        {reply.ok ? <DefinitionText {...reply.value} /> : <FailureNotice failure={reply.failure} />}
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

/** Most definitions are a tenth of this. A longer page is slow to load. */
const MAX_SHOWN_CHARACTERS = 24_000

function DefinitionText({ document, losses }: EncodeResult) {
  const text = indentedJson(document)
  const lossItems = losses.map(({ path, reason }) => (
    <>
      <code>{path}</code> {reason}
    </>
  ))
  return (
    <>
      {text.length <= MAX_SHOWN_CHARACTERS ? undefined : (
        <p class="note">
          Only the beginning is shown. To get all of it, use the request under “API requests of this page”.
        </p>
      )}
      <Copyable text={truncate(text, MAX_SHOWN_CHARACTERS)} />
      <FoldedList title="Not included in this format" items={lossItems} />
    </>
  )
}
