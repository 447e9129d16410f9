import type { CommandUnknownOpts } from 'commander'

type CommandGroup = Pick<CommandUnknownOpts, 'commands'>

/** The command that the words of a command line lead to, or the last group on the way there. */
export function findCommand(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  return words.reduce((command, word) => findSubcommand(command, word) ?? command, program)
}

/** Whether words lead to a command, or to none: an option ends them, and so does a command that has no others below it. */
export function isKnown(group: CommandGroup, [name, ...more]: readonly string[]): boolean {
  if (name === undefined || name.startsWith('-') || group.commands.length === 0) return true
  const command = findSubcommand(group, name)
  return command !== undefined && isKnown(command, more)
}

function findSubcommand({ commands }: CommandGroup, word: string): CommandUnknownOpts | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word))
}
