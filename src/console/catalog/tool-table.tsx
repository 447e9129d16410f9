import type { ApiAnswers } from '../../api/answers.ts'
import { isPrerelease } from '../../core/tool/version.ts'
import { ToolIcon } from '../../http/page/icon.tsx'
import { truncate } from '../../http/page/text.ts'
import { ToolNameLabel } from '../parts.tsx'
import { Table } from '../table.tsx'

export type ToolListItem = ApiAnswers['GET /tools']['items'][number]

/** In a list of each version, a row links to its version; otherwise, to the tool. */
export type ShownVersions = 'none' | 'newest' | 'each'

export interface ListContext {
  readonly versions: ShownVersions
  /** The ids of tools that are the same operation in other toolkits. */
  readonly findSame: (id: string) => readonly string[]
  /** Every second part of a text matches the search. */
  readonly split: (text: string) => readonly string[]
}

interface ToolHeadingProps {
  readonly tool: ToolListItem
  readonly list: ListContext
}

export function Marked({ text, split }: { text: string } & Pick<ListContext, 'split'>) {
  return <>{split(text).map((part, at) => (at % 2 === 1 ? <mark>{part}</mark> : part))}</>
}

/** Shows the title, or else the name, with the id below it. */
export function ToolHeading({ tool: { id, title, icon, version }, list }: ToolHeadingProps) {
  const { versions, split } = list
  const [name = id] = id.split('@')
  return (
    <>
      <a href={`/console/tools/${encodeURIComponent(versions === 'each' ? id : name)}`}>
        <ToolIcon path={icon} />
        {title === undefined ? (
          <ToolNameLabel name={name} />
        ) : (
          <bdi>
            <Marked text={truncate(title)} split={split} />
          </bdi>
        )}
      </a>{' '}
      {versions === 'none' ? undefined : <span class="note">{version}</span>}
      {isPrerelease(version) ? <span class="note">, a pre-release</span> : undefined}
      {title === undefined ? undefined : <ShortId id={name} />}
      <SameTools ids={list.findSame(id)} />
    </>
  )
}

/** Links to the same operation in other toolkits. */
function SameTools({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return undefined
  return (
    <span class="note">
      Also in{' '}
      {ids.map((id, at) => (
        <>
          {at === 0 ? '' : ', '}
          <a href={`/console/tools/${encodeURIComponent(id.slice(0, id.lastIndexOf('@')))}`}>{id.split('.')[0]}</a>
        </>
      ))}
    </span>
  )
}

/** Characters at the end of a long id that are always shown; the middle is shortened. */
const ID_END = 14

/** Shows an id on one line. The tooltip and copied text have all of it. */
function ShortId({ id }: { id: string }) {
  return (
    <span class="id" title={id}>
      <span>{id.slice(0, -ID_END)}</span>
      {id.slice(-ID_END)}
    </span>
  )
}

interface ToolTableProps {
  readonly items: readonly ToolListItem[]
  /** Whether tools are grouped by their first tag. */
  readonly isGrouped: boolean
  readonly list: ListContext
}

/** Shows a line for each tool, because many lines are faster to scan than cards. */
export function ToolTable({ items, isGrouped, list }: ToolTableProps) {
  return (
    <Table
      label="Tools"
      items={items}
      {...(isGrouped ? { groupBy: ({ tags }: ToolListItem) => tags?.[0] } : {})}
      columns={[
        {
          title: 'Tool',
          isName: true,
          isAction: true,
          cell: (tool) => <ToolHeading tool={tool} list={list} />,
        },
        { title: 'Kind', cell: describeKind },
        { title: 'Access', cell: ({ security_level: level }) => describeLevel(level) },
      ]}
    />
  )
}

function describeKind({ read_only, destructive }: ToolListItem): string | undefined {
  if (read_only) return 'Reads'
  return destructive ? 'Can delete' : undefined
}

function describeLevel(level: number): string {
  if (level >= 8) return 'With approval'
  return level >= 4 ? 'Keys that name it' : 'Anybody'
}
