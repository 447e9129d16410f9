import type { CommandUnknownOpts } from 'commander'

type CommandGroup = Pick<CommandUnknownOpts, 'commands'>

/** Finds the command that the words of a command line name, or the last group among them. */
export function findCommand(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  return words.reduce((command, word) => findSubcommand(command, word) ?? command, program)
}

/** Checks whether the words, if any, name a command. An option ends them, and so does a command without subcommands. */
export function isKnown(group: CommandGroup, [name, ...more]: readonly string[]): boolean {
  if (name === undefined || name.startsWith('-') || group.commands.length === 0) return true
  const command = findSubcommand(group, name)
  return command !== undefined && isKnown(command, more)
}

function findSubcommand({ commands }: CommandGroup, word: string): CommandUnknownOpts | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word))
}
