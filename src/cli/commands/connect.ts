import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type AgentHost, agentHosts, type Snippet } from '../../docs/agent-hosts.ts'
import { mergeJson, mergeToml, writeWithBackup } from '../host-files.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'

export const addConnect: AddCommands = (program, open) => {
  program
    .command('connect [host]')
    .description('write the configuration of an agent host, such as cursor; without one, list them')
    .option('--sign-in', 'sign in instead of using a key')
    .option('--global', 'for all projects, if the host has a file for that')
    .option('--file <file>', 'the file, if it is in another place')
    .addOption(YES)
    .action(async (name, options) => {
      const session = open(options)
      const { terminal, url } = session
      const hosts = agentHosts(url.origin).map((host) => ({ ...host, where: stripLinks(host.where) }))
      if (name === undefined) {
        return terminal.emit({ hosts: hosts.map(({ id, title, where }) => ({ id, title, where })) }, () => {
          terminal.table({ Agent: 'id', Name: 'title', Setup: 'where' })(hosts)
        })
      }
      const host = hosts.find(({ id }) => id === name)
      if (!host)
        throw new CliError('usage', `There is no host '${name}'`, `There are ${hosts.map(({ id }) => id).join(', ')}`)
      const snippet = options.signIn ? host.signIn : host.snippet
      const file = snippet && findFile(host, snippet, options.file, options.global)
      if (!snippet || file === undefined) return showSteps(session, host, snippet)
      const { before, after } = await (snippet.language === 'toml' ? mergeToml : mergeJson)(file, snippet.text)
      if (before === after)
        return terminal.emit({ host: name, file, changed: false }, () => terminal.note(`${file} says so already`))
      terminal.note(['bold', file], before === undefined ? ' is made, with' : ' gets')
      for (const line of snippet.text.split('\n')) terminal.note(line)
      await terminal.confirm(`Write ${file}?`)
      const backup = await writeWithBackup(file, before, after)
      terminal.emit({ host: name, file, changed: true, ...(backup === undefined ? {} : { backup }) }, () => {
        terminal.note(['green', '✓'], ` ${file}`, backup === undefined ? '' : `; what it said is in ${backup}`)
        if (/SWITCHBOARD_KEY/.test(snippet.text))
          terminal.note('The key is read from SWITCHBOARD_KEY, where the host is started')
      })
    })
}

function showSteps({ terminal }: CliSession, { id, where }: AgentHost, snippet: Snippet | undefined): void {
  terminal.emit({ host: id, where, ...(snippet ? { snippet } : {}) }, () => {
    terminal.note(where)
    if (snippet) terminal.write(snippet.text)
  })
}

function findFile(
  { file }: AgentHost,
  { language }: Snippet,
  fileOption?: string,
  isGlobal?: boolean,
): string | undefined {
  if (language !== 'json' && language !== 'toml') return undefined
  if (fileOption !== undefined) return resolve(fileOption)
  const { project, user } = file ?? {}
  if (project !== undefined && !isGlobal) return resolve(project)
  if (user !== undefined) return join(homedir(), user)
  if (project !== undefined)
    throw new CliError('usage', 'The host has no file for all projects that is known', 'Pass --file')
  return undefined
}

/** Replaces the guide's Markdown links with text and addresses for a terminal. */
function stripLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]*)\]\(([^()]*)\)/g, (_, text: string, url: string) => {
    if (url.endsWith(text)) return url
    return /^https?:/.test(url) ? `${text} (${url})` : text
  })
}
