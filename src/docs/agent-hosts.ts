import { hosts } from '../generated/agent-hosts.ts'

export interface AgentHost {
  readonly id: string
  readonly title: string
  readonly group: string
  readonly where: string
  /** From a project's folder, or a person's home. */
  readonly file?: { readonly project?: string; readonly user?: string }
  /** Absent where the host has a form to fill in. */
  readonly snippet?: Snippet | undefined
  /** For a person who signs in instead of having a key. */
  readonly signIn?: Snippet | undefined
}

export interface Snippet {
  readonly language: string
  readonly text: string
}

/** Snippets read the key from here: no key stands in a file. */
export const KEY_VARIABLE = 'SWITCHBOARD_KEY'
/** Guides name it where a deployment's own address belongs. */
export const EXAMPLE_ORIGIN = 'https://switchboard.<you>.workers.dev'

/** As the guide `agents.md` has them. */
export function agentHosts(origin: string): readonly AgentHost[] {
  const withOrigin = (text: string) => text.replaceAll(EXAMPLE_ORIGIN, origin)
  const toSnippet = (snippet?: Snippet) => snippet && { ...snippet, text: withOrigin(snippet.text) }
  const allHosts: readonly AgentHost[] = hosts
  return allHosts.map((host) => ({
    ...host,
    where: withOrigin(host.where),
    snippet: toSnippet(host.snippet),
    signIn: toSnippet(host.signIn),
  }))
}

/** For an open deployment: as a host that signs in is set up, but at the address where nobody needs to. */
export function withoutKey({ snippet, signIn }: AgentHost): Snippet | undefined {
  const text = signIn?.text.replaceAll('/connect/mcp', '/mcp').replace(/\n.* login .*/, '')
  return signIn && text !== undefined ? { ...signIn, text } : snippet
}

/** For an open deployment: without the sentences that are about a key, unless there are no others. */
export function whereWithoutKey({ where }: AgentHost): string {
  const sentences = where.split(/(?<=\.) (?=[A-Z])/)
  return sentences.filter((sentence) => !/\bkey\b|--header/.test(sentence)).join(' ') || where
}

/** With the key itself where the snippet reads one, for a host that is to be set up by pasting alone. */
export function withKey({ text }: Snippet, key: string): string {
  // VS Code asks for the inputs that are declared, whether they are used or not
  const withoutInputs = text.replace(/^ *"inputs": .*\n/m, '')
  return withoutInputs.replaceAll(/\$\{(?:env:SWITCHBOARD_KEY|input:switchboard-key)\}|\$SWITCHBOARD_KEY\b/g, () => key)
}
