import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) +(?<name>[A-Za-z_]\w*)/gm
const sources = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path))
const exportsByFile = sources.map((path) => ({ path, names: listExports(readFileSync(`${root}/${path}`, 'utf8')) }))
const exported = exportsByFile.flatMap(({ names }) => names)

/** Names that end in a JSON Schema keyword. */
const KEYWORDS: ReadonlySet<string> = new Set(['mergeAllOf'])

const PARTICIPLE =
  /(?:^|[a-z])(?:Asked|Given|Kept|Held|Made|Said|Told|Meant|Wanted|Landed|Ran|Ended|Lacks?)$|^(?:asked|given|kept|held|made|said|told|meant|wanted|landed|ran|ended|lacks?)$/

function listExports(text: string): readonly string[] {
  return [...text.matchAll(EXPORT)].map(({ groups }) => groups?.['name'] ?? '')
}

/** Folders whose files have the same structure: each dialect, page and store. */
const SAME_SHAPE = /^src\/(?:dialects|console|storage)\//

/** The client is a separate package. */
const BY_ITSELF = /^src\/client\//

type FileExports = (typeof exportsByFile)[number]

/** Finds names that several files export, except in one folder whose files have the same structure. */
function findRepeatedNames(files: readonly FileExports[]): readonly string[] {
  const folders = new Map<string, Set<string>>()
  for (const { path, names } of files) {
    if (BY_ITSELF.test(path)) continue
    const folder = SAME_SHAPE.exec(path)?.[0] ?? path
    for (const name of names) folders.set(name, (folders.get(name) ?? new Set()).add(folder))
  }
  return [...folders]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) => `${name}: ${[...places].join(' ')}`)
}

/** Returns why a name breaks the naming rules, or undefined. A participle may precede a noun: `sealedToken`. */
function findNameProblem(name: string): string | undefined {
  if (name.endsWith('Of') && !KEYWORDS.has(name)) return 'say what it does: find, get, to, build, list'
  if (PARTICIPLE.test(name)) return 'a participle is no noun'
  if (/(?:Face|Door|Gate|Shield|Leaf|Heads?)$/.test(name))
    return "use the field's word: routes, authorizer, page, manifest"
  if (
    /(?:[iy]s(?:e|ed|es|ing|ation)|our)(?=[A-Z]|$)/.test(name) &&
    /(?:author|recogn|normal|serial|summar|organ|behavi|col|neighb)/i.test(name)
  )
    return 'American spelling'
  return undefined
}

it('exported names follow the rules for names', () => {
  const problems = exported.flatMap((name) => {
    const problem = findNameProblem(name)
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })
  expect(problems).toEqual([])
  expect(exported.length).toBeGreaterThan(2_000)
})

it('exported names are defined in one file each, unless the files share one shape', () => {
  expect(findRepeatedNames(exportsByFile)).toEqual([])
  const [first, second] = ['src/core/a.ts', 'src/api/b.ts'].map((path) => ({ path, names: ['readRows'] }))
  expect(findRepeatedNames([first, second].filter((file) => file !== undefined))).toEqual([
    'readRows: src/core/a.ts src/api/b.ts',
  ])
})

it.each(['valueOf', 'Asked', 'given', 'findAsked', 'mcpFace', 'createGate', 'authoriseCall'])(
  'the names that are exported would not be %s',
  (name) => {
    expect(findNameProblem(name)).toBeTypeOf('string')
  },
)

it.each(['sealedToken', 'findValue', 'ToolRecord', 'rank', 'createRoutes'])(
  'the names that are exported may be %s',
  (name) => {
    expect(findNameProblem(name)).toBeUndefined()
  },
)
