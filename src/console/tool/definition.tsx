import { FORMAT_NAMES } from '../../core/publish/format-names.ts'
import type { Encoded } from '../../core/tool/codec.ts'
import { indentedJson } from '../../http/page/text.ts'
import type { Reply } from '../visit.ts'
import { Chips, Copyable, FailureNotice } from '../parts.tsx'

/** A page shows OXP once: its flat form says the same. */
export const FORMATS = new Map([...FORMAT_NAMES].filter(([name]) => name !== 'oxp-flat'))

export function Definition(props: { path: string; format: string; encoded: Reply<Encoded> }) {
  const { path, format, encoded } = props
  const chips = [...FORMATS].map(([name, text]) => {
    return { text, href: `${path}?format=${name}#definition`, isCurrent: name === format }
  })
  return (
    <>
      <Chips label="Dialects and exports" chips={chips} />
      {encoded.ok ? <Text {...encoded.value} /> : <FailureNotice failure={encoded.failure} />}
    </>
  )
}

function Text({ document, losses }: Encoded) {
  return (
    <>
      <Copyable text={indentedJson(document)} />
      {losses.length === 0 ? undefined : (
        <details>
          <summary>Not included in this format ({String(losses.length)})</summary>
          <ul>
            {losses.map(({ path, reason }) => (
              <li>
                <code>{path}</code> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
