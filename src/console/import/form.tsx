import * as base64url from 'jose/base64url'
import { guardFields } from '../../core/access/guard.ts'
import { namePart, version } from '../../core/tool/definition-fields.ts'
import type { Budget } from '../../core/tool/budget.ts'
import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { MANY_PARTS, parseJson } from '../../core/tool/json-text.ts'
import { anyObject, boolean, described, object, optional, schemaOf, strings } from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import { EditForm, editFields } from '../form/edit.tsx'
import { readInput, shownAgain } from '../form/values.ts'
import { queryOf } from '../query.ts'
import type { RouteFailure } from '../visit.ts'
import { exact, Select } from '../parts.tsx'

const KINDS = [
  { value: 'openapi', text: 'An OpenAPI description' },
  { value: 'mcp', text: 'An MCP server' },
  { value: 'oxp', text: 'An OXP server' },
  { value: 'open-tool-calling', text: 'An Open Tool Calling worker' },
  { value: 'machine-context', text: 'A Machine Context server' },
  { value: 'plugin', text: 'A plugin over HTTP' },
]

const ALLOW = described('Allow breaking changes', boolean, false)
const FIELDS = editFields(
  schemaOf(
    object({
      toolkit: described('The toolkit to put the tools in', namePart),
      version: optional(
        described('Left empty: the version of the source, or the next that the change asks for', version),
      ),
      tools: optional(described('Names or patterns such as list*. Left empty: all', strings)),
      ...guardFields,
      options: optional(described('Other options: credentials, base_url, rules (see the guide)', anyObject)),
      allow_breaking: optional(ALLOW),
    }),
  ),
)
const FOLDED = {
  summary: 'Advanced: choice of tools, credentials, approval',
  keys: ['tools', 'security_level', 'approval', 'options', 'allow_breaking'],
}

export function requestOf(
  form: URLSearchParams,
  isReal: boolean,
  meter: Budget,
): Checked<{ query: URLSearchParams; body: object }> {
  const { input, problems } = readInput(FIELDS, form, meter)
  const { options = {}, allow_breaking, ...body } = input
  if (problems.length > 0) return { ok: false, problems }
  if (!isJsonObject(options)) {
    const message = 'Must be a JSON object, such as {"base_url": "https://api.acme.com"}'
    return { ok: false, problems: [{ path: '/options', message }] }
  }
  const query = queryOf({ dry_run: isReal ? '' : '1', allow: allow_breaking ? 'breaking' : '' })
  const from = { [form.get('kind') ?? '']: documentOf((form.get('source') ?? '').trim(), meter) }
  return { ok: true, value: { query, body: { ...options, ...body, from } } }
}

/** A source that is a JSON object is the description itself. */
function documentOf(source: string, meter: Budget): Json {
  const read = source.startsWith('{') ? parseJson(source, meter, { parts: MANY_PARTS }) : undefined
  return read?.ok ? read.value : source
}

const KEPT = 'kept'

/** A long description, in Base64: written as a page has texts, it would be several times as long. */
export function KeptSource({ form }: { form: URLSearchParams }) {
  const source = form.get('source') ?? ''
  return shownAgain(form).has('source') || source === '' ? undefined : (
    <input type="hidden" name={KEPT} value={base64url.encode(source)} />
  )
}

export function withSource(form: URLSearchParams): URLSearchParams {
  const kept = form.get(KEPT)
  if (kept === null || form.get('source')) return form
  const whole = new URLSearchParams([...form])
  try {
    whole.set('source', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(base64url.decode(kept)))
  } catch {
    // Nobody's form has anything else in it
  }
  return whole
}

export function ImportForm({ form, failure }: { form: URLSearchParams; failure?: RouteFailure }) {
  const shown = shownAgain(form)
  const isKept = shown.get('source') !== form.get('source')
  return (
    <EditForm
      fields={FIELDS}
      sent={failure ? { form: shown, failure } : { form: shown }}
      folded={FOLDED}
      action="/console/import"
      act="look"
      button="Preview import"
      progress="Reading…"
    >
      <Select label="Source type" name="kind" options={KINDS} value={form.get('kind') ?? 'openapi'} />
      <label>
        Source <span class="note">a URL, or the description as JSON or YAML</span>
        <textarea
          name="source"
          required={!isKept}
          placeholder={isKept ? 'As it was sent' : undefined}
          spellcheck={false}
        >
          {exact(shown.get('source') ?? '')}
        </textarea>
      </label>
      <KeptSource form={form} />
      <p class="note">
        <a href="/docs/import">How imports work</a>
      </p>
    </EditForm>
  )
}
