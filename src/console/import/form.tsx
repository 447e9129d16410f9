import * as base64url from 'jose/base64url'
import { guardFields } from '../../core/access/guard.ts'
import { namePart, version } from '../../core/tool/definition-fields.ts'
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
import { IMPORT_KINDS, type ImportKind } from '../../core/tool/remote-dialect.ts'
import { EditForm, listEditFields } from '../form/edit.tsx'
import { readFormInput, toFormValues } from '../form/values.ts'
import { buildQuery } from '../query.ts'
import type { RouteFailure } from '../page-context.ts'
import { exact, Select } from '../parts.tsx'

const KIND_LABELS: Readonly<Record<ImportKind, string>> = {
  'openapi': 'An OpenAPI description',
  'mcp': 'An MCP server',
  'oxp': 'An OXP server',
  'open-tool-calling': 'An Open Tool Calling worker',
  'machine-context': 'A Machine Context server',
  'plugin': 'A plugin over HTTP',
}
const KIND_OPTIONS = IMPORT_KINDS.map((value) => ({ value, text: KIND_LABELS[value] }))

const ALLOW = withSchemaDescription('Allow breaking changes', boolean, false)
const FIELDS = listEditFields(
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
const FOLDED_FIELDS = {
  summary: 'Advanced: choice of tools, credentials, approval',
  keys: ['tools', 'security_level', 'approval', 'options', 'allow_breaking'],
}

export function readImportRequest(
  form: URLSearchParams,
  isReal: boolean,
): ParseResult<{ query: URLSearchParams; body: object }> {
  const { input, problems } = readFormInput(FIELDS, form)
  const { options = {}, allow_breaking, ...body } = input
  if (problems.length > 0) return { ok: false, problems }
  if (!isJsonObject(options)) {
    const message = 'Must be a JSON object, such as {"base_url": "https://api.acme.com"}'
    return { ok: false, problems: [{ path: '/options', message }] }
  }
  const query = buildQuery({ dry_run: isReal ? '' : '1', allow: allow_breaking ? 'breaking' : '' })
  const from = { [form.get('kind') ?? '']: parseDocument((form.get('source') ?? '').trim()) }
  return { ok: true, value: { query, body: { ...options, ...body, from } } }
}

/** A source that is a JSON object is the description; other sources are URLs or YAML. */
function parseDocument(source: string): Json {
  const result = source.startsWith('{') ? parseJson(source, { maxParts: MAX_SOURCE_NODES }) : undefined
  return result?.ok ? result.value : source
}

const HIDDEN_SOURCE_FIELD = 'kept'

/** Keeps a long description in Base64, because HTML escapes would make it several times as long. */
export function HiddenSource({ form }: { form: URLSearchParams }) {
  const source = form.get('source') ?? ''
  return toFormValues(form).has('source') || source === '' ? undefined : (
    <input type="hidden" name={HIDDEN_SOURCE_FIELD} value={base64url.encode(source)} />
  )
}

export function restoreSource(form: URLSearchParams): URLSearchParams {
  const encoded = form.get(HIDDEN_SOURCE_FIELD)
  if (encoded === null || form.get('source')) return form
  const restored = new URLSearchParams([...form])
  try {
    restored.set('source', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(base64url.decode(encoded)))
  } catch {
    // Our forms contain nothing else
  }
  return restored
}

export function ImportForm({ form, failure }: { form: URLSearchParams; failure?: RouteFailure }) {
  const formValues = toFormValues(form)
  const isHidden = formValues.get('source') !== form.get('source')
  return (
    <EditForm
      fields={FIELDS}
      submitted={failure ? { form: formValues, failure } : { form: formValues }}
      folded={FOLDED_FIELDS}
      action="/console/import"
      verb="look"
      button="Preview import"
      progress="Reading…"
    >
      <Select label="Source type" name="kind" options={KIND_OPTIONS} value={form.get('kind') ?? 'openapi'} />
      <label>
        Source <span class="note">a URL, or the description as JSON or YAML</span>
        <textarea
          name="source"
          required={!isHidden}
          placeholder={isHidden ? 'As it was sent' : undefined}
          spellcheck={false}
        >
          {exact(formValues.get('source') ?? '')}
        </textarea>
      </label>
      <HiddenSource form={form} />
      <p class="note">
        <a href="/docs/import">How imports work</a>
      </p>
    </EditForm>
  )
}
