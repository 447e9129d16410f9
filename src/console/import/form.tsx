import { guardFields } from '../../core/access/guard.ts'
import { namePart, version } from '../../core/tool/definition-fields.ts'
import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { MAX_SOURCE_NODES, parseJson } from '../../core/tool/json-text.ts'
import {
  anyObject,
  boolean,
  enumReader,
  withSchemaDescription,
  object,
  optional,
  toJsonSchema,
  stringArray,
} from '../../core/tool/json-reader.ts'
import type { ParseResult } from '../../core/tool/problem.ts'
import { IMPORT_KINDS, type ImportKind } from '../../core/tool/remote-dialect.ts'
import { PACKED, packText } from '../../http/request/packed-field.ts'
import { EditForm, listEditFields } from '../form/edit.tsx'
import { ProblemPlace } from '../form/problems.tsx'
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

const FIELDS = listEditFields(
  toJsonSchema(
    object({
      toolkit: withSchemaDescription('The toolkit to put the tools in', namePart),
      version: optional(
        withSchemaDescription('Left empty: the version of the source, or the next that the change asks for', version),
      ),
      tools: optional(withSchemaDescription('Names or patterns such as list*. Left empty: all', stringArray)),
      credentials: optional(
        withSchemaDescription(
          "Whose credentials calls use: 'deployment' (its secrets; the default) or 'per-user' (each user's own)",
          enumReader(['deployment', 'per-user']),
        ),
      ),
      ...guardFields,
      options: optional(withSchemaDescription('Other options: providers, base_url, rules (see the guide)', anyObject)),
      allow_breaking: optional(withSchemaDescription('Allow breaking changes', boolean, false)),
    }),
  ),
)
const FOLDED_FIELDS = {
  summary: 'Advanced: choice of tools, credentials, approval',
  keys: ['tools', 'credentials', 'security_level', 'approval', 'options', 'allow_breaking'],
}

export const renderPath = (path: string) => <ProblemPlace fields={FIELDS} path={path} />

export interface ImportFormRequest {
  readonly query: URLSearchParams
  readonly body: object
}

export function readImportRequest(form: URLSearchParams, isReal: boolean): ParseResult<ImportFormRequest> {
  const { input, problems } = readFormInput(FIELDS, form)
  const { options = {}, allow_breaking, ...body } = input
  const source = form.get('source')?.trim() ?? ''
  if (source === '') problems.push({ path: '', message: 'Enter a URL or a description, or choose a file' })
  if (problems.length > 0) return { ok: false, problems }
  if (!isJsonObject(options)) {
    const message = 'Must be a JSON object, such as {"base_url": "https://api.acme.com"}'
    return { ok: false, problems: [{ path: '/options', message }] }
  }
  const query = buildQuery({ dry_run: isReal ? '' : '1', allow: allow_breaking ? 'breaking' : '' })
  const from = { [form.get('kind') ?? '']: parseDocument(source) }
  return { ok: true, value: { query, body: { ...options, ...body, from } } }
}

/** Parses a source: a JSON object is the description, and other sources are URLs or YAML. */
function parseDocument(source: string): Json {
  const result = source.startsWith('{') ? parseJson(source, { maxParts: MAX_SOURCE_NODES }) : undefined
  return result?.ok ? result.value : source
}

/** A form with its source in `source`, and also in `packed` if it is too long for a text field. */
export interface SourceForm {
  readonly form: URLSearchParams
  readonly packed?: string | undefined
}

/** Picks the file, or else the entered text, or else the source kept from an earlier form. */
export async function pickSource(form: URLSearchParams): Promise<SourceForm> {
  const pickedForm = new URLSearchParams([...form])
  const source = form.getAll('source').findLast((text) => text.trim() !== '') ?? ''
  pickedForm.set('source', source)
  const isShown = toFormValues(pickedForm).get('source') === source
  if (isShown) return { form: pickedForm }
  const document = parseDocument(source)
  return { form: pickedForm, packed: await packText(typeof document === 'string' ? source : JSON.stringify(document)) }
}

export function PackedSource({ packed }: Pick<SourceForm, 'packed'>) {
  return packed === undefined ? undefined : <input type="hidden" name={`source${PACKED}`} value={packed} />
}

export function ImportForm({ form, packed, failure }: SourceForm & { failure?: RouteFailure }) {
  const formValues = toFormValues(form)
  return (
    <EditForm
      fields={FIELDS}
      submitted={failure ? { form: formValues, failure } : { form: formValues }}
      folded={FOLDED_FIELDS}
      action="/console/import"
      verb="look"
      button="Preview import"
      progress="Reading…"
      takesFile
    >
      <Select label="Source type" name="kind" options={KIND_OPTIONS} value={form.get('kind') ?? 'openapi'} />
      <PackedSource packed={packed} />
      <label>
        Source <span class="note">a URL, or the description as JSON or YAML</span>
        <textarea name="source" placeholder={packed && 'As it was sent'} spellcheck={false}>
          {exact(formValues.get('source') ?? '')}
        </textarea>
      </label>
      <label>
        File{' '}
        <span class="note">instead of a source: choose it or drop it here; up to 16 MB of JSON, or 512 kB of YAML</span>
        <input type="file" name="source" class="drop" accept=".json,.yaml,.yml,application/json" />
      </label>
      <p class="note">
        <a href="/docs/import">How imports work</a>
      </p>
    </EditForm>
  )
}
