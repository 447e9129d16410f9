import { hosts } from '../generated/agent-hosts.ts'

export interface AgentHost {
  readonly id: string
  readonly title: string
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
/** Of all guides. */
export const EXAMPLE_ORIGIN = 'https://switchboard.<you>.workers.dev'

/** As the guide `agents.md` has them. */
export function agentHosts(origin: string): readonly AgentHost[] {
  const here = (text: string) => text.replaceAll(EXAMPLE_ORIGIN, origin)
  const at = (snippet?: Snippet) => snippet && { ...snippet, text: here(snippet.text) }
  const all: readonly AgentHost[] = hosts
  return all.map((host) => ({ ...host, where: here(host.where), snippet: at(host.snippet), signIn: at(host.signIn) }))
}
