import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { type Checked, refused } from '../../core/tool/problem.ts'
import { nestsTooDeep } from '../../http/request/json-text.ts'
import { guardOf, GuardFields, wordsOf } from '../form-fields.tsx'
import { exact } from '../parts.tsx'

const KINDS = new Map([
  ['openapi', 'An OpenAPI description'],
  ['mcp', 'An MCP server'],
  ['oxp', 'An OXP server'],
])

/** The fields of the form: those that `Import them` sends again. */
export const FIELDS = [
  'kind',
  'source',
  'toolkit',
  'version',
  'tools',
  'security_level',
  'approval',
  'options',
  'allow',
] as const
/** What most imports do without. */
const MORE = ['tools', 'security_level', 'approval', 'options', 'allow'] as const

/** The query of `POST /toolkits/import` that a form says. */
export function queryOf(form: URLSearchParams, isReal: boolean): string {
  const allow = form.get('allow') === 'breaking' ? { allow: 'breaking' } : {}
  return new URLSearchParams({ ...(isReal ? {} : { dry_run: '1' }), ...allow }).toString()
}

/** The body that a form says: a source that is a JSON object is the description itself, and so is a text of several lines. */
export function bodyOf(form: URLSearchParams): Checked<object> {
  const kind = form.get('kind') ?? ''
  const source = (form.get('source') ?? '').trim()
  const named = ['toolkit', 'version'].map((name): [string, string] => [name, form.get(name)?.trim() ?? ''])
  const options = optionsOf(form.get('options') ?? '')
  if (!options) return refused('Must be a JSON object, such as {"base_url": "https://api.acme.com"}', '/options')
  const tools = wordsOf(form.get('tools'))
  return {
    ok: true,
    value: {
      ...options,
      ...Object.fromEntries(named.filter(([, value]) => value !== '')),
      ...(tools.length === 0 ? {} : { tools }),
      ...guardOf(form),
      from: { [kind]: documentOf(source) },
    },
  }
}

function documentOf(source: string): Json {
  if (!source.startsWith('{') || nestsTooDeep(source)) return source
  try {
    const read: Json = JSON.parse(source)
    return isJsonObject(read) ? read : source
  } catch {
    return source
  }
}

/** Undefined for what is no JSON object. */
function optionsOf(text: string): object | undefined {
  if (text.trim() === '') return {}
  if (nestsTooDeep(text)) return undefined
  try {
    const read: Json = JSON.parse(text)
    return isJsonObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

export function ImportForm({ form }: { form: URLSearchParams }) {
  const field = (name: (typeof FIELDS)[number]) => exact(form.get(name) ?? '')
  return (
    <form method="post">
      <label>
        From
        <select name="kind">
          {[...KINDS].map(([kind, title]) => (
            <option value={kind} selected={form.get('kind') === kind}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Its address, or the description itself <span class="note">JSON or YAML</span>
        <textarea name="source" required spellcheck={false}>
          {field('source')}
        </textarea>
      </label>
      <label>
        Toolkit <span class="note">what its tools are to be in</span>
        <input name="toolkit" required maxlength={64} value={field('toolkit')} autocomplete="off" />
      </label>
      <label>
        Version <span class="note">as the source says, or as high as the change asks, where nothing is said</span>
        <input name="version" value={field('version')} autocomplete="off" />
      </label>
      <details open={MORE.some((name) => (form.get(name) ?? '') !== '')}>
        <summary>Some of its tools alone, credentials, and what is asked of calls</summary>
        <div class="fields">
          <label>
            Tools <span class="note">names or patterns such as list*; all where nothing is said</span>
            <input name="tools" value={field('tools')} autocomplete="off" />
          </label>
          <GuardFields security_level={form.get('security_level') ?? ''} approval={form.get('approval') ?? ''} />
          <label>
            Anything else, as JSON <span class="note">credentials, base_url, rules, as the guide has them</span>
            <textarea name="options" spellcheck={false}>
              {field('options')}
            </textarea>
          </label>
          <label class="choice">
            <input type="checkbox" name="allow" value="breaking" checked={form.get('allow') === 'breaking'} />
            <span>Also where callers of the version before break</span>
          </label>
          <p class="note">
            <a href="/docs/import">The guide to imports</a>
          </p>
        </div>
      </details>
      <button class="go" name="do" value="look">
        Show what it would make
      </button>
      <p role="status" data-progress hidden>
        Reading…
      </p>
    </form>
  )
}
