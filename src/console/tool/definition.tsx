import type { Encoded } from '../../core/tool/codec.ts'
import { indentedJson } from '../../http/page/text.ts'
import type { Reply } from '../page.ts'
import { Copyable, FailureNotice } from '../parts.tsx'

/** The formats of `GET /tools/{id}?format=`, and their titles. */
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

interface DefinitionProps {
  readonly path: string
  readonly format: string
  readonly encoded: Reply<Encoded>
}

/** A tool's definition in a format, and what that cannot say. */
export function Definition({ path, format, encoded }: DefinitionProps) {
  return (
    <section aria-labelledby="definition">
      <h2 id="definition">Definition</h2>
      <ul class="chips" aria-label="Dialects and exports">
        {[...FORMATS].map(([name, title]) => (
          <li>
            <a
              class="chip"
              href={`${path}?format=${name}#definition`}
              {...(name === format ? { 'aria-current': 'true' } : {})}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
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
