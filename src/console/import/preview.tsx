import type { ApiAnswers } from '../../api/answers.ts'
import { formatCount } from '../calls/chart.tsx'
import { listNeeds } from '../catalog/tool-cards.tsx'
import { FoldedList, Notice } from '../parts.tsx'
import { ImportForm, type SourceForm } from './form.tsx'
import { GoneTools, Picker } from './picker.tsx'
import { ImportProviders } from './providers.tsx'
import { listMissingSecrets, Warnings } from './result.tsx'

export type ImportPlan = Extract<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>
type PlannedTool = ImportPlan['tools'][number]

/** If there are more tools, they are folded by tag to keep the page short. */
const MAX_OPEN_TOOLS = 50

export function ImportPreview({ source, plan }: { source: SourceForm; plan: ImportPlan }) {
  const { tools, skipped, warnings = [], gone = [] } = plan
  const changedTools = tools.filter(({ state }) => state !== 'unchanged')
  const isOpen = changedTools.length <= MAX_OPEN_TOOLS
  const groups = [...Map.groupBy(changedTools, getGroup)].map(([title, members]) => ({
    title,
    isOpen: isOpen || members.some(({ breaking }) => breaking),
    choices: members.map(toChoice),
  }))
  const breaksCallers = tools.some(({ breaking }) => breaking)
  const button = changedTools.length > 0 ? `Import ${formatCount(changedTools.length, 'tool')}` : 'Deprecate'
  return (
    <>
      <Notice>
        <p>
          <strong>Nothing is imported yet.</strong>{' '}
          {changedTools.length === 0 ? 'There is nothing new to import.' : 'Choose the tools to import.'}
        </p>
        {breaksCallers && (
          <p>
            A change that breaks callers becomes a new major version. Callers of an exact version keep theirs; all
            others get the new one.
          </p>
        )}
      </Notice>
      <Counts plan={plan} />
      <ImportProviders reports={[plan]} />
      <div class="row filter" data-filter hidden>
        <input type="search" aria-label="Filter tools" placeholder="Filter by name, path, level or tag" />
        <select aria-label="Show">
          <option value="*">All</option>
          <option value=":not(.changed)">New</option>
          <option value=".changed">Changed</option>
          <option value=".breaking">Breaking</option>
        </select>
        <button type="button" value="1">
          Choose these tools
        </button>
        <button type="button">Leave out these tools</button>
      </div>
      {changedTools.length + gone.length === 0 ? (
        <ImportForm {...source} />
      ) : (
        <Picker source={source} groups={groups} button={button}>
          <GoneTools ids={gone} />
        </Picker>
      )}
      <FoldedList
        title="Cannot be imported"
        items={skipped.map(({ name, reason }) => (
          <>
            <code>{name}</code> {reason}
          </>
        ))}
      />
      <Warnings warnings={warnings} />
    </>
  )
}

function Counts({ plan: { tools, skipped, gone = [] } }: { plan: ImportPlan }) {
  const states = Map.groupBy(tools, ({ state }) => state)
  const countState = (state: PlannedTool['state']) => states.get(state)?.length ?? 0
  const levels = [...Map.groupBy(tools, ({ security_level: level = 0 }) => level)].sort(([a], [b]) => a - b)
  const secrets = listMissingSecrets(tools)
  const problems: readonly (readonly [count: number, label: string])[] = [
    [tools.filter(({ breaking }) => breaking).length, 'breaking'],
    [gone.length, 'no longer in the source'],
    [skipped.length, 'cannot be imported'],
    [secrets.length, `missing: ${secrets.join(', ')}`],
  ]
  const counts: typeof problems = [
    [countState('new'), 'new'],
    [countState('changed'), 'changed'],
    [countState('unchanged'), 'the same'],
    ...problems.filter(([count]) => count > 0),
    ...levels.map(([level, { length }]) => [length, `at level ${level}`] as const),
  ]
  return (
    <ul class="plain counts" aria-label="Summary">
      {counts.map(([count, label]) => (
        <li>
          <strong>{count.toLocaleString('en')}</strong> {label}
        </li>
      ))}
    </ul>
  )
}

/** A deprecated operation is listed with the others of its tag. */
function getGroup({ tags = [] }: PlannedTool): string {
  return tags.find((tag) => tag !== 'deprecated') ?? tags[0] ?? 'Without a tag'
}

function toChoice(planned: PlannedTool) {
  const { id, state, breaking, tool, method, path, requirements = {}, security_level: level, approval } = planned
  const details = [
    tool ?? `${method} ${path}`,
    ...(state === 'changed' && !breaking ? ['changed'] : []),
    ...(breaking ? [`breaks callers: ${breaking.join('; ')}`] : []),
    ...(level === undefined ? [] : [`level ${level}`]),
    ...(approval ? ['asks for approval'] : []),
    ...listNeeds(requirements),
  ]
  return {
    name: /\.([^.@]+)@/.exec(id)?.[1] ?? id,
    note: details.join(' · '),
    class: breaking ? 'changed breaking' : state === 'changed' ? 'changed' : undefined,
  }
}
