import { hosts } from '../generated/agent-hosts.ts'

export interface AgentHost {
  readonly id: string
  readonly title: string
  readonly group: string
  readonly where: string
  /** Relative to a project's folder, or to a person's home folder. */
  readonly file?: { readonly project?: string; readonly user?: string }
  /** Absent if the host has a form to fill in. */
  readonly snippet?: Snippet | undefined
  /** For a person who signs in instead of having a key. */
  readonly signIn?: Snippet | undefined
}

export interface Snippet {
  readonly language: string
  readonly text: string
}

/** Snippets read the key from this variable, so that no file contains a key. */
export const KEY_VARIABLE = 'SWITCHBOARD_KEY'
/** Placeholder in guides for a deployment's address. */
export const EXAMPLE_ORIGIN = 'https://switchboard.<you>.workers.dev'

/** Lists the hosts of the guide `agents.md`, with the deployment's address. */
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

/** For an open deployment: uses the snippet for signing in, but with the address that needs no sign-in. */
export function withoutKey({ snippet, signIn }: AgentHost): Snippet | undefined {
  const text = signIn?.text.replaceAll('/connect/mcp', '/mcp').replace(/\n.* login .*/, '')
  return signIn && text !== undefined ? { ...signIn, text } : snippet
}

/** For an open deployment: drops the sentences about a key, unless there are no others. */
export function whereWithoutKey({ where }: AgentHost): string {
  const sentences = where.split(/(?<=\.) (?=[A-Z])/)
  return sentences.filter((sentence) => !/\bkey\b|--header/.test(sentence)).join(' ') || where
}

/** Inserts the key where the snippet reads it from a variable, so that pasting the snippet is enough. */
export function withKey({ text }: Snippet, key: string): string {
  // VS Code prompts for declared inputs even if they are not used
  const withoutInputs = text.replace(/^ *"inputs": .*\n/m, '')
  return withoutInputs.replaceAll(/\$\{(?:env:SWITCHBOARD_KEY|input:switchboard-key)\}|\$SWITCHBOARD_KEY\b/g, () => key)
}
