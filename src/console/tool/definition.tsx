import type { Json } from '../../core/tool/json.ts'
import { indentedJson } from '../../http/page/text.ts'
import type { Reply } from '../page.ts'
import { Copyable, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'

/** The ways in which a definition can be read (`?format=` of `GET /tools/{id}`), and what each is called. */
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

/** As `GET /tools/{id}?losses=1` gives it. */
export interface Written {
  readonly document: Json
  readonly losses: readonly { readonly path: string; readonly reason: string }[]
}

interface DefinitionProps {
  readonly path: string
  readonly format: string
  readonly written: Reply<Written>
}

/** A tool's definition in a dialect or an export, and what that cannot say. */
export function Definition({ path, format, written }: DefinitionProps) {
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
      {written.ok ? <Text {...written.value} /> : <Refused failure={failureOf(written)} />}
    </section>
  )
}

function Text({ document, losses }: Written) {
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
