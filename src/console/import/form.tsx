import * as base64url from 'jose/base64url'
import { guardFields } from '../../core/access/guard.ts'
import { namePart, version } from '../../core/tool/definition-fields.ts'
import type { Budget } from '../../core/tool/budget.ts'
import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { MAX_SOURCE_NODES, parseJson } from '../../core/tool/json-text.ts'
import {
  anyObject,
  boolean,
  withSchemaDescription,
  object,
  optional,
  toJsonSchema,
  stringArray,
} from '../../core/tool/json-reader.ts'
import type { ParseResult } from '../../core/tool/problem.ts'
import { EditForm, editFields } from '../form/edit.tsx'
import { readFormInput, toFormValues } from '../form/values.ts'
import { buildQuery } from '../query.ts'
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

const ALLOW = withSchemaDescription('Allow breaking changes', boolean, false)
const FIELDS = editFields(
  toJsonSchema(
    object({
      toolkit: withSchemaDescription('The toolkit to put the tools in', namePart),
      version: optional(
        withSchemaDescription('Left empty: the version of the source, or the next that the change asks for', version),
      ),
      tools: optional(withSchemaDescription('Names or patterns such as list*. Left empty: all', stringArray)),
      ...guardFields,
      options: optional(
        withSchemaDescription('Other options: credentials, base_url, rules (see the guide)', anyObject),
      ),
      allow_breaking: optional(ALLOW),
    }),
  ),
)
const FOLDED = {
  summary: 'Advanced: choice of tools, credentials, approval',
  keys: ['tools', 'security_level', 'approval', 'options', 'allow_breaking'],
}

export function readImportRequest(
  form: URLSearchParams,
  isReal: boolean,
  meter: Budget,
): ParseResult<{ query: URLSearchParams; body: object }> {
  const { input, problems } = readFormInput(FIELDS, form, meter)
  const { options = {}, allow_breaking, ...body } = input
  if (problems.length > 0) return { ok: false, problems }
  if (!isJsonObject(options)) {
    const message = 'Must be a JSON object, such as {"base_url": "https://api.acme.com"}'
    return { ok: false, problems: [{ path: '/options', message }] }
  }
  const query = buildQuery({ dry_run: isReal ? '' : '1', allow: allow_breaking ? 'breaking' : '' })
  const from = { [form.get('kind') ?? '']: parseDocument((form.get('source') ?? '').trim(), meter) }
  return { ok: true, value: { query, body: { ...options, ...body, from } } }
}

/** A source that is a JSON object is the description itself. */
function parseDocument(source: string, meter: Budget): Json {
  const read = source.startsWith('{') ? parseJson(source, meter, { parts: MAX_SOURCE_NODES }) : undefined
  return read?.ok ? read.value : source
}

const KEPT = 'kept'

/** A long description, in Base64: written as a page has texts, it would be several times as long. */
export function KeptSource({ form }: { form: URLSearchParams }) {
  const source = form.get('source') ?? ''
  return toFormValues(form).has('source') || source === '' ? undefined : (
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
  const shown = toFormValues(form)
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
