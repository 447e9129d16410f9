import { findScopeDenial } from '../../../../core/access/principal.ts'
import { encodeSkill, formatSkillUri, isSkillPath, MANIFEST_FILE } from '../../../../core/skill/skill.ts'
import type { SkillFiles, SkillRow, SkillStore } from '../../../../core/skill/skill.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import { parseTrusted } from '../../../../core/tool/json-text.ts'
import { toMcpFailure } from '../../failure-response.ts'
import { restrictToToolset } from '../../toolset.ts'
import type { McpExchange } from '../../tools-call.ts'
import { invalid, type McpResult } from '../../wire.ts'
import { toCacheable } from '../resource.ts'

const MARKDOWN = { mimeType: 'text/markdown' }

export async function handleSkillsList(
  skills: SkillStore,
  { cursor }: JsonObject,
  exchange: McpExchange,
): Promise<McpResult> {
  const denied = findScopeDenial(exchange.context.principal, 'tools:read')
  if (denied) return toMcpFailure(denied, exchange.revision)
  if (cursor !== undefined && (typeof cursor !== 'string' || cursor.length > 200))
    return invalid("'cursor' must be the 'nextCursor' of an earlier list")
  const { items, next } = await skills.listSkills({ state: 'active', after: cursor }, getReader(exchange))
  return toCacheable({ skills: items.map(toEntry), ...(next === undefined ? {} : { nextCursor: next }) }, exchange)
}

export async function handleSkillsGet(
  skills: SkillStore,
  { uri }: JsonObject,
  exchange: McpExchange,
): Promise<McpResult> {
  const file = await find(skills, uri, exchange)
  if (file?.path === MANIFEST_FILE) return toCacheable({ skill: toEntry(file.skill) }, exchange)
  return invalid(`There is no skill '${String(uri).slice(0, 200)}'`)
}

export async function readSkillResource(skills: SkillStore, uri: string, exchange: McpExchange) {
  const file = await find(skills, uri, exchange)
  const content: SkillFiles[string] | null = parseTrusted(file?.skill.files ?? 'null')
  if (!file || content === null) return undefined
  const type = file.path.endsWith('.md') ? MARKDOWN : {}
  return [{ uri, ...type, ...(typeof content === 'string' ? { text: content } : { blob: content.base64 }) }]
}

/** Lists only the first page; `skills/list` returns all pages. */
export async function listSkillResources(skills: SkillStore, exchange: McpExchange): Promise<readonly JsonObject[]> {
  const { items } = await skills.listSkills({ state: 'active' }, getReader(exchange))
  return items.map((row) => {
    const { uri, frontmatter } = toEntry(row)
    return { uri, name: row.name, description: frontmatter.description, ...MARKDOWN }
  })
}

/** The URI of a file, which is never escaped. */
const FILE_URI = /^skill:\/\/([\w-]{1,64})\/([a-z0-9-]{1,64})\/(.+)$/

async function find(skills: SkillStore, uri: unknown, exchange: McpExchange) {
  const [, toolkit, name, path] = (typeof uri === 'string' && FILE_URI.exec(uri)) || []
  if (!toolkit || !name || !path || !isSkillPath(path)) return undefined
  if (findScopeDenial(exchange.context.principal, 'tools:read')) return undefined
  const skill = await skills.findSkill({ toolkit, name }, getReader(exchange), path)
  return skill && { skill, path }
}

const getReader = ({ context }: McpExchange) => restrictToToolset(context.principal, context.toolset)

function toEntry(row: SkillRow) {
  const { frontmatter, resources } = encodeSkill(row)
  const files = resources.map(({ path, ...resource }) => ({ uri: formatSkillUri(row, path), ...resource }))
  return { uri: formatSkillUri(row), frontmatter, resources: files }
}
