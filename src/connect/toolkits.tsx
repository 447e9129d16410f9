import type { ToolkitChoice } from '../core/catalog/choices.ts'

export type ToolkitView = ReturnType<typeof readView>

export const INITIAL_VIEW: ToolkitView = { searchText: '', selectedOnly: false, page: 1, expandedToolkit: '' }

const PAGE = 50
const MAX_FIND = 100
const MAX_FOUND = 3
const MAX_OPENED = 150

/** Every button of the list submits the form, including the selection. */
const ACTIONS = ['find', 'all', 'none', 'page', 'open']

export function isListAction(decision: string): boolean {
  return ACTIONS.includes(decision.split(':')[0] ?? '')
}

export function readView(form: URLSearchParams) {
  const [action = '', value = ''] = (form.get('decision') ?? '').split(':')
  const page = action === 'find' ? 1 : Number(action === 'page' ? value : form.get('page'))
  return {
    /** Words that must all occur in a tool's name, including its toolkit's. */
    searchText: (form.get('find') ?? '').trim().slice(0, MAX_FIND),
    selectedOnly: form.has('selected'),
    page: Number.isSafeInteger(page) ? page : 1,
    /** The toolkit whose tools are listed. */
    expandedToolkit: action === 'open' ? value : '',
  }
}

type Choices = readonly ToolkitChoice[]

export function filterChoices(
  choices: Choices,
  { searchText, selectedOnly }: ToolkitView,
  chosen: ReadonlySet<string>,
): Choices {
  return choices.filter(
    ({ toolkit, tools }) =>
      (!selectedOnly || chosen.has(toolkit)) && tools.some((tool) => hasWords(`${toolkit} ${tool}`, searchText)),
  )
}

function hasWords(name: string, searchText: string): boolean {
  const text = name.toLowerCase()
  return searchText
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export function paginateChoices(choices: Choices, view: ToolkitView, chosen: ReadonlySet<string>) {
  const matches = filterChoices(choices, view, chosen)
  const pages = Math.max(1, Math.ceil(matches.length / PAGE))
  const page = Math.min(Math.max(1, view.page), pages)
  return { matchCount: matches.length, pageChoices: matches.slice((page - 1) * PAGE, page * PAGE), page, pages }
}

export interface ToolkitsProps {
  readonly choices: Choices
  readonly chosen: ReadonlySet<string>
  readonly view: ToolkitView
  readonly list: ReturnType<typeof paginateChoices>
  /** The encoded selection of toolkits that are not on this page (`selection.ts`). */
  readonly others: string
}

export function Toolkits({ choices, chosen, view, list, others }: ToolkitsProps) {
  const { matchCount, pageChoices, page, pages } = list
  const isNarrowed = matchCount < choices.length
  return (
    <fieldset>
      <legend>Toolkits it can use</legend>
      <input type="hidden" name="others" value={others} />
      <input type="hidden" name="page" value={String(page)} />
      {choices.length === 1 ? undefined : (
        <>
          <div class="pick">
            <label>
              Find a toolkit or tool
              <input type="search" name="find" value={view.searchText} maxlength={MAX_FIND} autocomplete="off" />
            </label>
            {/* Enter presses the first button of the form */}
            <button name="decision" value="find">
              Find
            </button>
          </div>
          <div class="pick">
            <span role="status">
              {chosen.size} of {choices.length} selected
            </span>
            <label class="choice">
              <input type="checkbox" name="selected" checked={view.selectedOnly} />
              Selected only
            </label>
            <button name="decision" value="all">
              {isNarrowed ? `Select ${matchCount} found` : 'Select all'}
            </button>
            <button name="decision" value="none">
              {isNarrowed ? `Deselect ${matchCount} found` : 'Select none'}
            </button>
          </div>
        </>
      )}
      {matchCount === 0 ? <p>No toolkits found.</p> : undefined}
      <ul id="toolkits">
        {pageChoices.map((choice) => (
          <ToolkitRow choice={choice} isChosen={chosen.has(choice.toolkit)} view={view} />
        ))}
      </ul>
      {pages === 1 ? undefined : (
        <div class="pick">
          <PageButton to={page - 1} pages={pages} label="Previous" />
          <span>
            Page {page} of {pages}
          </span>
          <PageButton to={page + 1} pages={pages} label="Next" />
        </div>
      )}
    </fieldset>
  )
}

interface ToolkitRowProps {
  readonly choice: ToolkitChoice
  readonly isChosen: boolean
  readonly view: ToolkitView
}

function ToolkitRow({
  choice: { toolkit, tools, level },
  isChosen,
  view: { searchText, expandedToolkit },
}: ToolkitRowProps) {
  const isOpen = expandedToolkit === toolkit
  const count = tools.length === 1 ? '1 tool' : `${tools.length.toLocaleString('en')} tools`
  const matches = hasWords(toolkit, searchText)
    ? []
    : tools.filter((tool) => hasWords(`${toolkit} ${tool}`, searchText))
  return (
    <li id={`tools-${toolkit}`}>
      <label class="choice">
        <input type="checkbox" name={`toolkit.${toolkit}`} value="1" checked={isChosen} />
        {toolkit}
      </label>
      <div>
        <button
          class="link"
          name="decision"
          value={`open:${isOpen ? '' : toolkit}`}
          formaction={`#tools-${toolkit}`}
          aria-expanded={isOpen ? 'true' : 'false'}
          aria-label={`${count} of ${toolkit}`}
        >
          {count}
        </button>
        {levelWords(level)}
        {isOpen ? <Names names={tools} max={MAX_OPENED} /> : <Names names={matches} max={MAX_FOUND} />}
      </div>
    </li>
  )
}

function Names({ names, max }: { readonly names: readonly string[]; readonly max: number }) {
  if (names.length === 0) return undefined
  const surplusText = names.length > max ? ` and ${names.length - max} more` : ''
  return (
    <p>
      {names.slice(0, max).join(', ')}
      {surplusText}
    </p>
  )
}

function PageButton({ to, pages, label }: { readonly to: number; readonly pages: number; readonly label: string }) {
  return (
    <button name="decision" value={`page:${to}`} disabled={to < 1 || to > pages}>
      {label}
    </button>
  )
}

function levelWords(level: number): string {
  if (level >= 8) return `, level up to ${level}: some calls need approval`
  if (level >= 4) return `, level up to ${level}: can make changes`
  return level === 0 ? '' : `, level up to ${level}`
}
