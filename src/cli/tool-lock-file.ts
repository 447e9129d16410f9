import { createHash } from 'node:crypto'
import { formatJson, getText, type JsonRecord } from '../client/json.ts'
import { DIGEST_FORM, formatLockedTool, hashLocked, lockReader, type ToolLock } from '../core/access/tool-lock.ts'
import { formatSkillUri } from '../core/skill/skill.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { parseValue } from '../core/tool/json-reader.ts'
import { formatReadError } from '../core/tool/problem.ts'
import { parseJsonArgument, readInputFile } from './argument-values.ts'
import { CliError } from './cli-error.ts'
import type { TerminalIO } from './terminal.ts'

/** Tools by the names, and skills by the URIs, that MCP lists. */
export type LockedTools = ReadonlyMap<string, ToolLock['tools'][string]>

const hashText = async (text: string) => createHash('sha256').update(text).digest('hex')

/** `skills` are the items of `GET /skills`. */
export async function lockTools(mcpTools: readonly JsonObject[], skills: readonly JsonRecord[]): Promise<LockedTools> {
  const entries = mcpTools.map(async (tool) => {
    const [name, id] = [getText(tool, 'name'), getText(tool['_meta'], 'dev.switchboard/id')]
    if (name === undefined || id === undefined) throw new CliError('failed', 'A tool is listed without its id')
    return [name, { id, digest: await hashLocked(formatLockedTool(tool), hashText) }] as const
  })
  const skillEntries = skills.map((skill) => {
    const [toolkit, name] = [String(skill['toolkit']), String(skill['name'])]
    const id = `${toolkit}.${name}@${String(skill['version'])}`
    return [formatSkillUri({ toolkit, name }), { id, digest: String(skill['digest']) }] as const
  })
  return new Map([...(await Promise.all(entries)), ...skillEntries])
}

export const isSkill = (name: string) => name.startsWith('skill:')

/** Sorts the entries by name. */
export function createLock(entries: LockedTools): ToolLock {
  const sortedEntries = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const tools = Object.fromEntries(sortedEntries.filter(([name]) => !isSkill(name)))
  const skills = Object.fromEntries(sortedEntries.filter(([name]) => isSkill(name)))
  return { version: 1, digest_form: DIGEST_FORM, tools, ...(Object.keys(skills).length > 0 ? { skills } : {}) }
}

/** Formats `tools.lock`, without the final line feed. */
export function formatLockFile(tools: LockedTools): string {
  return formatJson(createLock(tools), 2) ?? ''
}

export async function readLock(file: string, surroundings: TerminalIO): Promise<LockedTools> {
  return parseLock(parseJsonArgument(await readInputFile(file, surroundings), file), file)
}

export function parseLock(lock: unknown, label: string): LockedTools {
  const read = parseValue(lockReader, lock)
  if (!read.ok) throw new CliError('usage', formatReadError(`'${label}'`, read.problems))
  return new Map(Object.entries({ ...read.value.tools, ...read.value.skills }))
}
