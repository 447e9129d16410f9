import type { ApiAnswers } from '../../api/answers.ts'
import { formatCount } from '../calls/chart.tsx'
import { listNeeds } from '../catalog/tool-cards.tsx'
import { toFormValues } from '../form/values.ts'
import { exact, Notice, SendingNote } from '../parts.tsx'
import { PackedSource, type SourceForm } from './form.tsx'
import { Skipped, Warnings } from './result.tsx'

export type ImportPlan = Extract<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>
type PlannedTool = ImportPlan['tools'][number]

/** More tools are folded below their tags, so that the page stays short. */
const MAX_OPEN_TOOLS = 50
const TOOL_FIELD = 'tool:'

/** The names of the tools whose boxes are checked, as their tags' are. */
export function listChosenTools(form: URLSearchParams): readonly string[] {
  const tags = form.getAll('tag')
  return [...form].flatMap(([name, tool]) =>
    name.startsWith(TOOL_FIELD) && tags.includes(name.slice(TOOL_FIELD.length)) ? [tool] : [],
  )
}

export function ImportPreview({ source, plan }: { source: SourceForm; plan: ImportPlan }) {
  const { tools, skipped, warnings = [] } = plan
  const changedTools = tools.filter(({ state }) => state !== 'unchanged')
  return (
    <>
      <Notice>
        <p>
          <strong>Nothing is imported yet.</strong>{' '}
          {changedTools.length === 0 ? 'There is nothing new to import.' : 'Choose the tools to import.'}
        </p>
      </Notice>
      <Counts plan={plan} />
      {changedTools.length === 0 ? undefined : <ToolPicker source={source} tools={changedTools} />}
      <Skipped skipped={skipped} />
      <Warnings warnings={warnings} />
    </>
  )
}

function Counts({ plan: { tools, skipped } }: { plan: ImportPlan }) {
  const states = Map.groupBy(tools, ({ state }) => state)
  const countState = (state: PlannedTool['state']) => (states.get(state)?.length ?? 0).toLocaleString('en')
  const levels = [...Map.groupBy(tools, ({ security_level: level = 0 }) => level)].sort(([a], [b]) => a - b)
  const secrets = new Set(
    tools.flatMap(({ missing_requirements: missing }) => missing?.secrets.map(({ id }) => id) ?? []),
  )
  const counts: readonly (readonly [count: string, label: string])[] = [
    [countState('new'), 'new'],
    [countState('changed'), 'changed'],
    [countState('unchanged'), 'the same'],
    ...levels.map(([level, { length }]) => [length.toLocaleString('en'), `at level ${level}`] as const),
    ...(skipped.length > 0 ? [[skipped.length.toLocaleString('en'), 'cannot be imported'] as const] : []),
    ...(secrets.size > 0 ? [[String(secrets.size), `missing: ${[...secrets].join(', ')}`] as const] : []),
  ]
  return (
    <ul class="plain counts" aria-label="Summary">
      {counts.map(([count, label]) => (
        <li>
          <strong>{count}</strong> {label}
        </li>
      ))}
    </ul>
  )
}

/** Works without script, which filters the list and counts what is chosen. */
function ToolPicker({ source, tools }: { source: SourceForm; tools: readonly PlannedTool[] }) {
  const groups = [...Map.groupBy(tools, getGroup)]
  const isOpen = tools.length <= MAX_OPEN_TOOLS
  return (
    <>
      <div class="row filter" data-filter hidden>
        <input type="search" aria-label="Filter tools" placeholder="Filter by name, path, level or tag" />
        <button type="button" value="1">
          Choose shown
        </button>
        <button type="button">Leave out shown</button>
      </div>
      <form method="post" enctype="multipart/form-data" class="picker">
        {[...toFormValues(source.form)].map(([name, text]) =>
          name === 'do' ? undefined : <input type="hidden" name={name} value={exact(text)} />,
        )}
        <PackedSource packed={source.packed} />
        {groups.map(([tag, members], index) => (
          <fieldset>
            <label class="choice">
              <input type="checkbox" name="tag" value={String(index)} checked />
              <span>
                <strong>{tag}</strong> <span class="note">{formatCount(members.length, 'tool')}</span>
              </span>
            </label>
            <details open={isOpen}>
              <summary aria-label={`Tools of ${tag}`}>Tools</summary>
              <ul class="plain">
                {members.map((tool) => (
                  <ToolChoice field={`${TOOL_FIELD}${index}`} tool={tool} />
                ))}
              </ul>
            </details>
          </fieldset>
        ))}
        <div class="sticky-actions">
          <button class="go" name="do" value="import">
            Import {formatCount(tools.length, 'tool')}
          </button>
          <a href="#change">Change the import</a>
          <SendingNote>Importing…</SendingNote>
        </div>
      </form>
    </>
  )
}

/** A deprecated operation is listed with the others of its tag. */
function getGroup({ tags = [] }: PlannedTool): string {
  return tags.find((tag) => tag !== 'deprecated') ?? tags[0] ?? 'Without a tag'
}

function ToolChoice({ field, tool }: { field: string; tool: PlannedTool }) {
  const { id, state, method, path, requirements = {}, security_level: level, approval } = tool
  const details = [
    tool.tool ?? `${method} ${path}`,
    ...(state === 'changed' ? ['changed'] : []),
    ...(level === undefined ? [] : [`level ${level}`]),
    ...(approval ? ['asks for approval'] : []),
    ...listNeeds(requirements),
  ]
  const [, name = id] = /\.([^.@]+)@/.exec(id) ?? []
  return (
    <li>
      <label class="choice">
        <input type="checkbox" name={field} value={exact(name)} checked />
        {name}
        <span class="note">{details.join(' · ')}</span>
      </label>
    </li>
  )
}
