import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { nestsTooDeep } from '../../http/json-text.ts'
import type { Leads, Reply, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'

/** What `POST /toolkits/import` answers: with `?dry_run=1` the tools it would make, else those that it made. */
interface Imported {
  readonly tools?: readonly {
    readonly id: string
    readonly state: string
    readonly requirements?: Json
    readonly security_level?: number
    readonly approval?: boolean
  }[]
  readonly ids?: readonly string[]
  readonly skipped?: readonly { readonly name: string; readonly reason: string }[]
}

const KINDS = new Map([
  ['openapi', 'An OpenAPI description'],
  ['mcp', 'An MCP server'],
  ['oxp', 'An OXP server'],
])
const MAX_SHOWN = 500

/** Makes a toolkit of a description or of another server: first of all it shows what would come of it. */
export async function show(visit: Visit): Promise<View | Leads> {
  return { title: 'Import', content: <ImportForm form={visit.form} /> }
}

/** Shows what an import would make or, once that was seen, makes it. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const isReal = form.get('do') === 'import'
  const reply = await visit.ask<Imported>('POST', `/toolkits/import${isReal ? '' : '?dry_run=1'}`, bodyOf(form))
  if (!reply.ok) return failed(form, reply)
  const { tools = [], ids = [], skipped = [] } = reply.value
  if (isReal) return { title: 'Imported', content: <Done ids={ids} skipped={skipped} /> }
  return {
    title: 'What the import would make',
    content: (
      <>
        <Notice>
          <p>
            <strong>Nothing has been made yet.</strong> {String(tools.length)} tools would be
            {skipped.length === 0 ? '' : `, and ${skipped.length} cannot be`}.
          </p>
        </Notice>
        <ul aria-label="Tools">
          {tools.slice(0, MAX_SHOWN).map(({ id, state, requirements, security_level, approval }) => (
            <li>
              <code>{id}</code> <span class="note">{state}</span>
              {requirements === undefined ? undefined : <p class="note">Needs {JSON.stringify(requirements)}</p>}
              {security_level === undefined ? undefined : <p class="note">Security level {String(security_level)}</p>}
              {approval ? <p class="note">A person approves each call</p> : undefined}
            </li>
          ))}
        </ul>
        <Skipped skipped={skipped} />
        {tools.length === 0 ? undefined : <Confirm form={form} />}
        <h2>Or change what is asked for</h2>
        <ImportForm form={form} />
      </>
    ),
  }
}

/** The body that a form says: a source that is a JSON object is the description itself, and so is a text of several lines. */
function bodyOf(form: URLSearchParams): object {
  const kind = form.get('kind') ?? ''
  const source = (form.get('source') ?? '').trim()
  const named = ['toolkit', 'version'].map((name): [string, string] => [name, form.get(name)?.trim() ?? ''])
  return { from: { [kind]: documentOf(source) }, ...Object.fromEntries(named.filter(([, value]) => value !== '')) }
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

function failed(form: URLSearchParams, reply: Reply<unknown>): View {
  const failure = failureOf(reply)
  return {
    title: 'Import',
    status: failure.status,
    content: (
      <>
        <Refused failure={failure} />
        <ImportForm form={form} />
      </>
    ),
  }
}

function Confirm({ form }: { form: URLSearchParams }) {
  return (
    <form method="post">
      {['kind', 'source', 'toolkit', 'version'].map((name) => (
        <input type="hidden" name={name} value={exact(form.get(name) ?? '')} />
      ))}
      <button class="go" name="do" value="import">
        Import them
      </button>
      <p role="status" data-progress hidden>
        Importing…
      </p>
    </form>
  )
}

function Skipped({ skipped }: { skipped: NonNullable<Imported['skipped']> }) {
  if (skipped.length === 0) return undefined
  return (
    <details>
      <summary>Cannot be made ({String(skipped.length)})</summary>
      <ul>
        {skipped.slice(0, MAX_SHOWN).map(({ name, reason }) => (
          <li>
            <code>{name}</code> {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Done({ ids, skipped }: { ids: readonly string[]; skipped: NonNullable<Imported['skipped']> }) {
  return (
    <>
      <Notice>
        <p>
          <strong>{ids.length === 1 ? '1 tool is' : `${ids.length} tools are`} there now.</strong>
        </p>
      </Notice>
      <ul aria-label="Tools">
        {ids.slice(0, MAX_SHOWN).map((id) => (
          <li>
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{id}</a>
          </li>
        ))}
      </ul>
      <Skipped skipped={skipped} />
    </>
  )
}

function ImportForm({ form }: { form: URLSearchParams }) {
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
          {exact(form.get('source') ?? '')}
        </textarea>
      </label>
      <label>
        Toolkit <span class="note">what its tools are to be in</span>
        <input name="toolkit" required maxlength={64} value={exact(form.get('toolkit') ?? '')} autocomplete="off" />
      </label>
      <label>
        Version <span class="note">as the source says, or as high as the change asks, where nothing is said</span>
        <input name="version" value={exact(form.get('version') ?? '')} autocomplete="off" />
      </label>
      <button class="go" name="do" value="look">
        Show what it would make
      </button>
      <p role="status" data-progress hidden>
        Reading…
      </p>
    </form>
  )
}
