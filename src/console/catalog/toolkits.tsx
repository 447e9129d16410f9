import type { ApiAnswers } from '../../api/answers.ts'
import { truncate } from '../../http/page/text.ts'
import { formatCount } from '../calls/chart.tsx'
import { toPlainText } from '../markdown.tsx'
import { Chips, NextLink } from '../parts.tsx'
import { paginate } from '../pagination.ts'
import { buildQuery } from '../query.ts'
import type { PageContext, Reply } from '../page-context.ts'

type Toolkit = ApiAnswers['GET /toolkits']['items'][number]
type Usage = Reply<ApiAnswers['GET /usage']>

export const ORDERS = { name: 'Name', tools: 'Most tools', calls: 'Most used' } as const
export type Order = keyof typeof ORDERS

/** Cards per page. */
const PAGE_SIZE = 60

interface ToolkitCardsProps {
  readonly context: PageContext
  readonly toolkits: readonly Toolkit[]
  readonly order: Order
  /** Needed only to order by calls. */
  readonly usage: Usage | undefined
}

/** Shows the first page of the catalog, where each toolkit links to its tools. */
export function ToolkitCards({ context, toolkits, order, usage }: ToolkitCardsProps) {
  const calls = new Map(
    usage?.ok ? usage.value.items.map((item) => [item.group.toolkit?.toLowerCase(), item.calls]) : [],
  )
  const countCalls = ({ toolkit }: Toolkit) => calls.get(toolkit.toLowerCase()) ?? 0
  const orderings: Readonly<Record<Order, (one: Toolkit, other: Toolkit) => number>> = {
    name: (one, other) => one.toolkit.localeCompare(other.toolkit, 'en'),
    tools: (one, other) => other.tools - one.tools,
    calls: (one, other) => countCalls(other) - countCalls(one),
  }
  const { items, nextPage } = paginate(context, toolkits.toSorted(orderings[order]), PAGE_SIZE)
  const total = toolkits.reduce((sum, { tools }) => sum + tools, 0)
  const chips = Object.entries(ORDERS).map(([name, text]) => {
    return { text, href: name === 'name' ? '/' : `/?${buildQuery({ sort: name })}`, isCurrent: name === order }
  })
  return (
    <>
      <p class="note">
        {formatCount(total, 'tool')} in {formatCount(toolkits.length, 'toolkit')}.{' '}
        <a href="/?view=tools">List all tools</a>
      </p>
      <Chips label="Sort by" chips={chips} />
      <ul class="cards even" aria-label="Toolkits">
        {items.map((each) => (
          <li>
            <a href={`/?${buildQuery({ toolkit: each.toolkit })}`}>{each.toolkit}</a>{' '}
            <span class="note">
              {formatCount(each.tools, 'tool')}
              {order === 'calls' ? `, ${formatCount(countCalls(each), 'call')} this week` : ''}
            </span>
            {each.description === undefined ? undefined : <p dir="auto">{truncate(toPlainText(each.description))}</p>}
          </li>
        ))}
      </ul>
      {nextPage && <NextLink {...nextPage} />}
    </>
  )
}
