import { createHash } from 'node:crypto'
import { formatJson, getText } from '../client/json.ts'
import { DIGEST_FORM, formatLockedTool, hashLocked, lockReader, type ToolLock } from '../core/access/tool-lock.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { parseValue } from '../core/tool/json-reader.ts'
import { formatReadError } from '../core/tool/problem.ts'
import { parseJsonArgument, readInputFile } from './argument-values.ts'
import { CliError } from './cli-error.ts'
import type { TerminalIO } from './terminal.ts'

/** By the names that MCP lists. */
export type LockedTools = ReadonlyMap<string, ToolLock['tools'][string]>

const hashText = async (text: string) => createHash('sha256').update(text).digest('hex')

export async function lockTools(mcpTools: readonly JsonObject[]): Promise<LockedTools> {
  const entries = mcpTools.map(async (tool) => {
    const [name, id] = [getText(tool, 'name'), getText(tool['_meta'], 'dev.switchboard/id')]
    if (name === undefined || id === undefined) throw new CliError('failed', 'A tool is listed without its id')
    return [name, { id, digest: await hashLocked(formatLockedTool(tool), hashText) }] as const
  })
  return new Map(await Promise.all(entries))
}

/** Sorted by name. */
export function createLock(tools: LockedTools): ToolLock {
  const sorted = [...tools].sort(([a], [b]) => (a < b ? -1 : 1))
  return { version: 1, digest_form: DIGEST_FORM, tools: Object.fromEntries(sorted) }
}

/** The text of `tools.lock`, without the line feed at its end. */
export function formatLockFile(tools: LockedTools): string {
  return formatJson(createLock(tools), 2) ?? ''
}

export async function readLock(file: string, surroundings: TerminalIO): Promise<LockedTools> {
  return parseLock(parseJsonArgument(await readInputFile(file, surroundings), file), file)
}

export function parseLock(lock: unknown, label: string): LockedTools {
  const read = parseValue(lockReader, lock)
  if (!read.ok) throw new CliError('usage', formatReadError(`'${label}'`, read.problems))
  return new Map(Object.entries(read.value.tools))
}
