import { FRONTMATTER, MANIFEST_FILE, MAX_SKILL_BYTES, type ReadSkill, type SkillFiles } from '../../core/skill/skill.ts'
import type { YieldControl } from '../../core/tool/budget.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import { isJsonObject, type JsonObject, jsonSize } from '../../core/tool/json.ts'
import { looseObject, map, optional, parseValue, refine, string } from '../../core/tool/json-reader.ts'
import { encodePointerStep, type ParseResult, parseFailure } from '../../core/tool/problem.ts'
import { decodeBase64, encodeBase64 } from '../../outbound/base64.ts'

/** A row of the Registry has at most 2 MB. */
const MAX_STORED_BYTES = 1_900_000
const MAX_FRONTMATTER_CHARACTERS = 16_384
/** Measured as JSON, where most characters take at most 3 bytes. */
const MAX_FRONTMATTER_BYTES = 3 * MAX_FRONTMATTER_CHARACTERS
const encoder = new TextEncoder()

type HashBytes = (bytes: BufferSource) => Promise<string>

/** Checks the files of a skill, and computes their digests. */
export function createSkillReader(sha256OfBytes: HashBytes, yieldControl: YieldControl): ReadSkill {
  return async (name, files) => {
    const clash = findClash(Object.keys(files))
    if (clash !== undefined) return parseFailure('Conflicts with another file, ignoring case', pointer(clash))
    const storedFiles: [string, SkillFiles[string]][] = []
    const resources = []
    let total = 0
    for (const [path, file] of Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const bytes = typeof file === 'string' ? encoder.encode(file) : decodeBase64(file.base64)
      if (!bytes) return parseFailure('Must be Base64', `${pointer(path)}/base64`)
      const { byteLength: size } = bytes
      total += size
      if (total > MAX_SKILL_BYTES) return parseFailure(`Must be at most ${MAX_SKILL_BYTES} bytes in total`, '/files')
      storedFiles.push([path, typeof file === 'string' ? file.toWellFormed() : { base64: encodeBase64(bytes) }])
      resources.push({ path, digest: `sha256:${await sha256OfBytes(bytes)}`, size })
    }
    const frontmatter = await readFrontmatter(name, files[MANIFEST_FILE], yieldControl)
    if (!frontmatter.ok) return frontmatter
    const content = {
      digest: `sha256:${await sha256OfBytes(encoder.encode(canonicalJson(resources)))}`,
      manifest: JSON.stringify({ frontmatter: frontmatter.value, resources }),
      files: JSON.stringify(Object.fromEntries(storedFiles)),
    }
    const { byteLength } = encoder.encode(content.manifest + content.files)
    if (byteLength > MAX_STORED_BYTES)
      return parseFailure(`Must be at most ${MAX_STORED_BYTES} bytes as stored`, '/files')
    return { ok: true, value: content }
  }
}

const pointer = (path: string) => `/files${encodePointerStep(path)}`

/** Finds a path that equals another file or folder on a file system that ignores case. */
function findClash(paths: readonly string[]): string | undefined {
  const folders = paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)))
  const places = new Set(folders.map((folder) => folder.toLowerCase()))
  return paths.find((path) => places.size === places.add(path.toLowerCase()).size)
}

async function readFrontmatter(
  name: string,
  text: SkillFiles[string] | undefined,
  yieldControl: YieldControl,
): Promise<ParseResult<JsonObject>> {
  const path = pointer(MANIFEST_FILE)
  const yaml = typeof text === 'string' ? FRONTMATTER.exec(text)?.[1] : undefined
  if (yaml === undefined) return parseFailure("Must be text that begins with YAML between two lines of '---'", path)
  if (yaml.length > MAX_FRONTMATTER_CHARACTERS)
    return parseFailure(`Its YAML must have at most ${MAX_FRONTMATTER_CHARACTERS} characters`, path)
  const { readYaml } = await import('../openapi/yaml-text.ts')
  const read = await readYaml(yaml, yieldControl)
  if (!read.ok) return parseFailure(read.problem.replace('neither JSON nor YAML', 'not YAML'), path)
  const frontmatterResult = parseValue(frontmatterReader(name), read.value)
  if (!frontmatterResult.ok)
    return {
      ok: false,
      problems: frontmatterResult.problems.map((problem) => ({ ...problem, path: path + problem.path })),
    }
  if (!isJsonObject(read.value)) return parseFailure('Its YAML must be a mapping', path)
  const keys = Object.keys({ ...read.value, ...frontmatterResult.value.metadata })
  const reserved = keys.find((key) => key.startsWith('io.modelcontextprotocol/'))
  if (reserved !== undefined) return parseFailure(`'${reserved}' is reserved for MCP`, path)
  // YAML aliases may expand to a lot of data
  if (jsonSize(read.value, MAX_FRONTMATTER_BYTES) > MAX_FRONTMATTER_BYTES)
    return parseFailure('Its YAML expands to too much data', path)
  return { ok: true, value: read.value }
}

const frontmatterReader = (name: string) =>
  looseObject({
    name: refine(string(), (value) => (value === name ? undefined : `Must be '${name}', the name of the skill`)),
    description: string({ min: 1, max: 1_024 }),
    compatibility: optional(string({ min: 1, max: 500 })),
    metadata: optional(map(string())),
  })
