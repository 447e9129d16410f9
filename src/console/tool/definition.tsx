import type { Encoded } from '../../core/tool/codec.ts'
import { indentedJson } from '../../http/page/text.ts'
import type { Reply } from '../visit.ts'
import { Chips, Copyable, FailureNotice } from '../parts.tsx'

export const FORMATS: ReadonlyMap<string, string> = new Map([
  ['oxp', 'OXP'],
  ['open-tool-calling', 'Open Tool Calling'],
  ['machine-context', 'Machine Context'],
  ['plugin', 'Plugin'],
  ['mcp', 'MCP'],
  ['openai', 'OpenAI'],
  ['openai-strict', 'OpenAI, strict'],
  ['anthropic', 'Anthropic'],
  ['gemini', 'Gemini'],
  ['openapi', 'OpenAPI'],
])

export function Definition(props: { path: string; format: string; encoded: Reply<Encoded> }) {
  const { path, format, encoded } = props
  const chips = [...FORMATS].map(([name, text]) => {
    return { text, href: `${path}?format=${name}#definition`, isCurrent: name === format }
  })
  return (
    <section aria-labelledby="definition">
      <h2 id="definition">Definition</h2>
      <Chips label="Dialects and exports" chips={chips} />
      {encoded.ok ? <Text {...encoded.value} /> : <FailureNotice failure={encoded.failure} />}
    </section>
  )
}

function Text({ document, losses }: Encoded) {
  return (
    <>
      <Copyable text={indentedJson(document)} />
      {losses.length === 0 ? undefined : (
        <details>
          <summary>What this form cannot say ({String(losses.length)})</summary>
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
