import type { LockStore } from '../../core/access/tool-lock.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import type { ToolsetDefinition, ToolsetEntry } from '../../core/access/toolset.ts'
import { findEntryProblem } from '../../core/access/view-record.ts'
import { loadValidator } from '../../core/schema/validator.ts'
import { isJsonObject, type Json } from '../../core/tool/json.ts'
import { encodePointerStep, type Problem } from '../../core/tool/problem.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'

export interface CheckToolsetDeps {
  readonly locks: Pick<LockStore, 'find'>
  /** Lists the patterns that match no tool that the principal may see. */
  readonly listUnmatched: (patterns: readonly string[], principal: Principal) => Promise<readonly string[]>
  readonly findTool: (ref: string, principal: Principal) => Promise<{ readonly record: ToolRecord } | undefined>
}

interface ToolsetReport {
  readonly problems: Problem[]
  readonly warnings: Problem[]
}

/** Each tool is read from KV, and a request may read only a limited number of values. */
const MAX_TOOLS_READ = 200
const TOOLS_AT_ONCE = 20

/** Compares a toolset with the current tools that the principal may see. They may change, so most findings are warnings. */
export async function checkToolset(
  { tools, lock }: ToolsetDefinition,
  principal: Principal,
  { locks, listUnmatched, findTool }: CheckToolsetDeps,
): Promise<ToolsetReport> {
  const report: ToolsetReport = { problems: [], warnings: [] }
  if (lock !== undefined && !(await locks.find(lock)))
    report.problems.push({ path: '/lock', message: 'There is no such lock: send it first, with PUT /locks' })
  if (!hasScope(principal, 'tools:read')) {
    const message = "Was not compared with the tools of now, which needs the scope 'tools:read'"
    return { ...report, warnings: [{ path: '/tools', message }] }
  }
  const patterns = tools.map(({ tool }) => tool)
  const unmatched = new Set(await listUnmatched(patterns, principal))
  const entries = tools.map((entry, index) => ({ entry, path: `/tools/${index}` }))
  for (const { entry, path } of entries)
    if (unmatched.has(entry.tool)) report.warnings.push({ path, message: `No tool matches '${entry.tool}' now` })
  const toRead = entries.filter(
    ({ entry: { tool, version, arguments: fixed } }) =>
      !tool.includes('*') && !unmatched.has(tool) && (version !== undefined || fixed !== undefined),
  )
  for (let at = 0; at < Math.min(toRead.length, MAX_TOOLS_READ); at += TOOLS_AT_ONCE)
    await Promise.all(toRead.slice(at, at + TOOLS_AT_ONCE).map(checkEntry))
  if (toRead.length > MAX_TOOLS_READ) {
    const message = `Only ${MAX_TOOLS_READ} entries with a version or arguments were compared with the tools of now`
    report.warnings.push({ path: '/tools', message })
  }
  return report

  async function checkEntry({ entry, path }: (typeof entries)[number]): Promise<void> {
    const { tool, version } = entry
    const toolVersion = await findTool(version === undefined ? tool : `${tool}@${version}`, principal)
    if (toolVersion) return checkArguments(toolVersion.record, entry, `${path}/arguments`, report)
    report.warnings.push({ path: `${path}/version`, message: `'${tool}' has no version '${version ?? 'latest'}' now` })
  }
}

async function checkArguments(
  record: ToolRecord,
  { arguments: fixed = {} }: ToolsetEntry,
  path: string,
  { problems, warnings }: ToolsetReport,
): Promise<void> {
  const { properties } = record.input
  const values: Record<string, Json> = {}
  for (const [name, change] of Object.entries(fixed)) {
    const message = findEntryProblem(record, { tool: record.id, arguments: { [name]: change } })
    const isKnown = isJsonObject(properties) && Object.hasOwn(properties, name)
    if (message !== undefined) (isKnown ? problems : warnings).push({ path: path + encodePointerStep(name), message })
    else if (change.value !== undefined) values[name] = change.value
  }
  const names = Object.keys(values)
  if (names.length === 0) return
  const validate = await loadValidator(record.input)
  for (const { path: at, message } of validate(values)) {
    const name = names.find((valueName) => `${at}/`.startsWith(`${encodePointerStep(valueName)}/`))
    if (name === undefined) continue
    const step = encodePointerStep(name)
    problems.push({ path: `${path}${step}/value${at.slice(step.length)}`, message })
  }
}
