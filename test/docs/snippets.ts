import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentHosts, EXAMPLE_ORIGIN } from '../../src/docs/agent-hosts.ts'

/** A code block of the README or a guide, which users copy, and how it is tested. */
export interface Snippet {
  readonly file: string
  readonly language: string
  readonly text: string
  /** The tool file that the text before it names. */
  readonly named: string | undefined
  readonly way: Way
}

/**
 * `server`: a command, run against a server. `answer`: the response to the command before it. `host`: tested with the table of
 * agent hosts. `package`: tested with the package. `plugin`: compiled by the command after it. `tool`, `wrangler`, `rules` and
 * `yaml`: parsed by the code it is written for. Others have the reason why they cannot be tested, or else `untried`.
 */
export type Way =
  | 'server'
  | 'answer'
  | 'host'
  | 'package'
  | 'plugin'
  | 'tool'
  | 'wrangler'
  | 'rules'
  | 'yaml'
  | 'untried'
  | { readonly reason: string }

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Blocks that cannot be tested here, by the start of their text, with the reason. */
export const CANNOT: Readonly<Record<string, string>> = {
  'npm install && npm run dev':
    '`npm run dev` is started by test/e2e/npm-run.test.ts; what is installed comes from elsewhere',
  'umask 077': '`npm run serve` is started by test/e2e/npm-run.test.ts; what is installed comes from elsewhere',
  'npm test': 'it is what runs this',
  'npm run bench': 'it measures, for minutes',
  'npx vitest run': 'a tool of the fork that reads this; its test is run by test/docs/snippets.test.ts',
  'npx wrangler': 'it wants an account at Cloudflare',
  'openssl rand -base64 32 | npx wrangler': 'it wants an account at Cloudflare',
  '[![Deploy to Cloudflare]': 'it wants a public repository, and an account at Cloudflare',
  '{\n  "kind": "http",\n  "method": "POST"': 'it is read by test/docs/guides.test.ts',
  'event: progress': 'the events of a tool that reports: test/e2e/progress.test.ts reads such',
  '{\n  "items": [\n    {\n      "at"': 'a record of a day that was; its fields are those of test/e2e/records.test.ts',
}

const GUIDES = readdirSync(join(root, 'src/docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `src/docs/${file}`)

export const FILES: readonly string[] = ['README.md', 'tools/README.md', ...GUIDES]

/** `src/docs/client.md` for programs that have installed the package: test/e2e/package.test.ts runs each of these. */
const isOfPackage = (text: string) =>
  text.includes("from 'switchboard/client'") || text.startsWith('npm install ./switchboard-')

/** `src/docs/command-line.md` runs as one script with the installed program: test/e2e/cli.test.ts. */
const isOfProgram = (file: string) => file === 'src/docs/command-line.md'

const hosts = new Set(
  agentHosts(EXAMPLE_ORIGIN).flatMap(({ snippet, signIn }) =>
    [snippet?.text, signIn?.text].filter((text) => text !== undefined),
  ),
)

/** Lists every block of a Markdown text, in order. */
export function snippetsOf(file: string, markdown: string): readonly Snippet[] {
  const found: Snippet[] = []
  let end = 0
  for (const { index, 0: whole, 1: margin = '', 2: language = '', 3: body = '' } of markdown.matchAll(
    /^( *)```(\w*)\n([^]*?)^ *```$/gm,
  )) {
    const text = body.replaceAll(new RegExp(`^${margin}`, 'gm'), '').trimEnd()
    const before = found.at(-1)
    const follows = before?.way === 'server' && markdown.slice(end, index).trim() === ''
    const named = [...markdown.slice(0, index).matchAll(/`tools\/(\w+\/\w+(?:\.test)?)\.ts`/g)].at(-1)?.[1]
    found.push({ file, language, text, named, way: isOfProgram(file) ? 'package' : wayOf(language, text, follows) })
    end = index + whole.length
  }
  return found
}

function wayOf(language: string, text: string, follows: boolean): Way {
  if (hosts.has(text)) return 'host'
  if (isOfPackage(text)) return 'package'
  if (text.includes("from '@extism/as-pdk'")) return 'plugin'
  const [, reason] = Object.entries(CANNOT).find(([beginning]) => text.startsWith(beginning)) ?? []
  if (reason !== undefined) return { reason }
  if (language === 'sh' || language === '') return 'server'
  if (language === 'json') return follows ? 'answer' : 'rules'
  if (language === 'ts') return 'tool'
  if (language === 'toml') return 'wrangler'
  return language === 'yaml' ? 'yaml' : 'untried'
}

export const snippets: readonly Snippet[] = FILES.flatMap((file) =>
  snippetsOf(file, readFileSync(join(root, file), 'utf8')),
)

/** Lists the blocks that are tested in one way. */
export function triedBy(way: Way): readonly Snippet[] {
  return snippets.filter((snippet) => snippet.way === way)
}
