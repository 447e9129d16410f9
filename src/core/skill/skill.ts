/**
 * Skills: folders of instructions for agents, each with a `SKILL.md` (MCP, SEP-2640). Publishing one requires the right to
 * publish in the whole toolkit. Callers who see a tool of the toolkit can read its skills. A published version never changes.
 */
import type { ChangeRefusal } from '../access/change-refusal.ts'
import type { Principal } from '../access/principal.ts'
import type { JsonObject } from '../tool/json.ts'
import { parseTrusted } from '../tool/json-text.ts'
import { type InferOutput, map, object, type Reader, stringMatching } from '../tool/json-reader.ts'
import type { ParseResult } from '../tool/problem.ts'

export const MANIFEST_FILE = 'SKILL.md'
/** YAML between two lines of `---` at the start of the manifest. */
export const FRONTMATTER = /^\ufeff?---\r?\n([^]*?\n)---[\t ]*(?:\r?\n|$)/
export const MAX_SKILL_BYTES = 1024 * 1024
export const MAX_SKILL_VERSION = 2 ** 31
export const SKILL_STATES = ['active', 'pending', 'disabled'] as const

export const skillName = stringMatching(
  '1 to 64 lowercase letters and digits, with single hyphens between them',
  /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/,
)

/** Safe in URIs and file systems: no segment is empty, `.` or `..`, and no character needs escaping. */
const PATH = /^(?=.{1,200}$)(?:[\w.@+-]*[\w@+-]\/){0,15}[\w.@+-]*[\w@+-]$/
export const isSkillPath = (path: string) => PATH.test(path)
const checkPath = (path: string) => (isSkillPath(path) ? undefined : PATH_PROBLEM)
const PATH_PROBLEM =
  "Must be a relative path of at most 200 of A-Z, a-z, 0-9, '_', '-', '+', '@', '.' and '/', without names that end with '.'"
const text = stringMatching('a text', () => true, Infinity)
const bytes = object({ base64: text })
const file: Reader<string | { readonly base64: string }> = (value, report) =>
  typeof value === 'string' ? value : bytes(value, report)

/** Files by path, as text or as Base64. */
export const skillFilesReader = map(file, 512, checkPath)
export type SkillFiles = InferOutput<typeof skillFilesReader>

/** As stored: `manifest` is a `SkillManifest` and `files` a `SkillFiles`, both as JSON text. */
export type SkillContent = { digest: string; manifest: string; files: string }
export type ReadSkill = (name: string, files: SkillFiles) => Promise<ParseResult<SkillContent>>

/** `digest` and `size` are of the file's bytes. */
interface SkillManifest {
  readonly frontmatter: JsonObject
  readonly resources: readonly { readonly path: string; readonly digest: string; readonly size: number }[]
}

export type SkillName = { toolkit: string; name: string; version?: number | undefined }
export type SkillRow = SkillName & { version: number } & Omit<SkillContent, 'files'> & {
    state: (typeof SKILL_STATES)[number]
  }
export type SkillQuery = Pick<SkillRow, 'state'> & { toolkit?: string | undefined; after?: string | undefined }
export type FoundSkill = SkillRow & { files: string | null }
export type PublishedSkill = SkillRow & { ok: true; isNew: boolean }

/** Implemented by the Registry. `findSkill` returns the newest active version by default, and with `path` only that file. */
export interface SkillStore {
  publishSkill(name: SkillName, content: SkillContent, principal: Principal): Promise<PublishedSkill | ChangeRefusal>
  changeSkill(name: SkillName, state: SkillRow['state'], by: Principal): Promise<{ ok: true } | ChangeRefusal>
  listSkills(query: SkillQuery, principal: Principal): Promise<{ items: SkillRow[]; next?: string }>
  findSkill(name: SkillName, principal: Principal, path?: string): Promise<FoundSkill | undefined>
}

/** Returns the URI that MCP lists. No character needs escaping. */
export function formatSkillUri({ toolkit, name }: SkillName, path = MANIFEST_FILE): string {
  return `skill://${toolkit.toLowerCase()}/${name}/${path}`
}

export type EncodedSkill = ReturnType<typeof encodeSkill>

export function encodeSkill({ manifest, state: status, toolkit, name, version, digest }: SkillRow) {
  const { frontmatter, resources }: SkillManifest = parseTrusted(manifest)
  return { toolkit, name, version, status, digest, frontmatter, resources }
}
