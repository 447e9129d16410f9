import type { ApiAnswers } from '../../api/answers.ts'
import type { AuditAction } from '../../core/access/audit-entry.ts'
import { isJsonObject, isStringArray, type Json } from '../../core/tool/json.ts'
import { quoteName } from '../../http/page/text.ts'
import { formatCaller } from '../calls/callers.ts'
import { formatCount } from '../calls/chart.tsx'

export type AuditEntry = ApiAnswers['GET /audit']['items'][number]
/** Entries of one action, such as the requests of one import, newest first. */
export type AuditGroup = readonly [AuditEntry, ...AuditEntry[]]

/** The requests of one import follow each other within seconds. */
const MAX_PAUSE_MS = 60_000

/** Groups consecutive entries that say the same, and the requests of one import. */
export function groupEntries(entries: readonly AuditEntry[]): readonly AuditGroup[] {
  const groups: [AuditEntry, ...AuditEntry[]][] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (
      group &&
      last &&
      formatKind(last) === formatKind(entry) &&
      Date.parse(last.at) - Date.parse(entry.at) < MAX_PAUSE_MS
    )
      group.push(entry)
    else groups.push([entry])
  }
  return groups
}

function formatKind(entry: AuditEntry): string {
  const { act, principal, outcome, address, about } = entry
  const subject = COUNTED.has(act) ? [act, about?.['toolkit'], about?.['dry_run']] : formatEvent([entry])
  return JSON.stringify([subject, principal, outcome, address])
}

/** Formats an event as a sentence without a final period: "boss imported 200 tools into EnterpriseServer". */
export function formatEvent(group: AuditGroup): string {
  const [{ act, principal, principal_name, user_id, method, path, outcome }] = group
  const subject =
    principal === undefined ? (user_id ?? 'An unknown caller') : formatCaller({ principal, principal_name })
  const times = group.length > 1 && !COUNTED.has(act) ? `, ${group.length} times` : ''
  if (act === 'refusal') return `${subject} was refused ${method} ${path}${times}`
  const phrase = PHRASES[act](group)
  return `${subject} ${outcome === 'success' ? toPast(phrase) : `tried to ${phrase}`}${times}`
}

const COUNTED: ReadonlySet<AuditAction> = new Set(['tools.import', 'tools.publish'])

/** The action, in the imperative. Its object comes only from `act`, `path` and `about`. */
const PHRASES: Readonly<Record<Exclude<AuditAction, 'refusal'>, (group: AuditGroup) => string>> = {
  'access.end': (group) => `end all access of ${segment(group, 1)}`,
  'agent.connect': (group) => `connect the agent ${quoteGroup(group)}`,
  'agent.end': (group) => `disconnect ${segment(group, 3) === '' ? 'all agents' : 'an agent'} of ${segment(group, 1)}`,
  'agent.refuse': (group) => `deny the agent ${quoteGroup(group)}`,
  'approval.approve': (group) => `approve a call of ${detail(group, 'tool')}`,
  'approval.refuse': (group) => `deny a call of ${detail(group, 'tool')}`,
  'authorization.confirm': () => 'confirm who a user is',
  'call.cancel': () => 'cancel a call',
  'client.create': () => 'create an OAuth client',
  'client.remove': (group) => `remove the OAuth client ${segment(group, 1)}`,
  'connection.begin': (group) => `ask ${segment(group, 1)} to connect ${detail(group, 'provider')}`,
  'connection.check': (group) => `check ${segment(group, 3)} of ${segment(group, 1)}`,
  'grant.give': (group) => `allow ${detail(group, 'tool')} to use an account at ${detail(group, 'provider')}`,
  'grant.refuse': (group) => `deny ${detail(group, 'tool')} an account at ${detail(group, 'provider')}`,
  'grant.revoke': (group) => `revoke ${segment(group, 3) || 'all accounts'} of ${segment(group, 1)}`,
  'event-source.put': (group) => `set up the event source ${segment(group, 1)}`,
  'event-source.remove': (group) => `remove the event source ${segment(group, 1)}`,
  'key.change': (group) => `change the key ${quoteGroup(group)}`,
  'key.create': (group) => `create the key ${quoteGroup(group)}`,
  'key.remove': (group) => `revoke the key ${quoteGroup(group)}`,
  'key.rotate': (group) => `rotate the key ${quoteGroup(group)}`,
  'lock.put': (group) => `store the lock ${detail(group, 'hash')}`,
  'lock.remove': (group) => `delete the lock ${segment(group, 1)}`,
  'policy.put': (group) => `set the policy for ${segment(group, 1)}`,
  'policy.remove': (group) => `remove the policy for ${segment(group, 1)}`,
  'provider.put': (group) => `set up the provider ${segment(group, 1)}`,
  'provider.remove': (group) => `remove the provider ${segment(group, 1)}`,
  'registry.export': (group) => `download a backup${detail(group, 'toolkit', ' of the toolkit ')}`,
  'registry.import': () => 'start a restore',
  'registry.imported': () => 'finish a restore',
  'scim.put': (group) => `change ${detail(group, 'name')} as the directory says`,
  'scim.remove': (group) => `remove ${detail(group, 'name')} as the directory says`,
  'session.begin': () => 'sign in',
  'session.end': (group) => SESSION_ENDS[group[0].path] ?? 'end a session',
  'skill.change': (group) => `change the skill ${segment(group, 3)}${detail(group, 'status', ' to ')}`,
  'skill.put': (group) => `publish the skill ${segment(group, 3)}`,
  'subscription.put': (group) => `subscribe to ${detail(group, 'source')}`,
  'subscription.remove': (group) => `delete the subscription ${detail(group, 'subscription') || segment(group, 1)}`,
  'subscription.resend': (group) => `send ${segment(group, 3)} again`,
  'tool.change': (group) => `change ${segment(group, 1)}${detail(group, 'status.state', ' to ')}`,
  'toolkit.change': (group) => `change the toolkit ${segment(group, 1)}${detail(group, 'status', ' to ')}`,
  'toolkit.compare': (group) => `compare the toolkit ${segment(group, 1)} with its source`,
  'toolkit.give': (group) => `give the toolkit ${segment(group, 1)} to ${detail(group, 'owner')}`,
  'toolkit.remove': (group) => `delete the toolkit ${segment(group, 1)}`,
  'toolset.approve': (group) => `approve the change of the toolset ${segment(group, 1)}`,
  'toolset.put': (group) => `change the toolset ${segment(group, 1)}`,
  'toolset.reject': (group) => `reject the change of the toolset ${segment(group, 1)}`,
  'toolset.remove': (group) => `delete the toolset ${segment(group, 1)}`,
  'tools.import': importTools,
  'tools.publish': publishTools,
}

const SESSION_ENDS: Readonly<Record<string, string>> = {
  '/sign-out': 'sign out',
  '/sessions': 'end all other sessions',
}

function importTools(group: AuditGroup): string {
  const toolkit = detail(group, 'toolkit', ' into ')
  const imports = group.filter(({ about }) => about?.['dry_run'] === undefined)
  if (imports.length === 0) return `preview an import${toolkit}`
  const counts = imports.map(({ about }) => Number(about?.['made'] ?? 0))
  return `import ${countTools(counts.reduce((sum, count) => sum + count, 0))}${toolkit}`
}

function publishTools(group: AuditGroup): string {
  const ids = group.flatMap(({ about }) => (isStringArray(about?.['published']) ? about['published'] : []))
  return `publish ${ids.length === 1 ? ids[0] : countTools(ids.length)}`
}

function countTools(count: number): string {
  return count === 0 ? 'tools' : formatCount(count, 'tool')
}

/** Returns a segment of the path. Its encoding may be invalid, because it comes from the caller. */
function segment([{ path }]: AuditGroup, index: number): string {
  const text = path.split('/')[index + 1] ?? ''
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns a text in the details, after `prefix`, or an empty string if it is missing. */
function detail([{ about }]: AuditGroup, name: string, prefix = ''): string {
  const value = name
    .split('.')
    .reduce<Json | undefined>((object, key) => (isJsonObject(object) ? object[key] : undefined), about)
  return typeof value === 'string' ? `${prefix}${value}` : ''
}

/** Quotes the name in the details, or else the id in the path. */
function quoteGroup(group: AuditGroup): string {
  return quoteName(detail(group, 'name') || segment(group, 1))
}

const IRREGULAR: Readonly<Record<string, string>> = { deny: 'denied', give: 'gave', set: 'set' }

function toPast(phrase: string): string {
  return phrase.replace(/^\w+/, (verb) => IRREGULAR[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb}ed`))
}
