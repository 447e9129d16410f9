import { Argument } from 'commander'
import { completionFor, SHELLS } from '../completion.ts'
import type { AddCommands } from '../add-commands.ts'
import type { CommonOptions } from '../session.ts'

/** `completion`: what a shell needs to complete command lines. */
export const addCompletion: AddCommands = (program, open) => {
  program
    .command('completion')
    .description('what a shell completes command lines with')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .action((shell: string, options: CommonOptions) => {
      const { terminal } = open(options)
      const script = completionFor(shell, program)
      terminal.give({ shell, script }, () => terminal.write(script))
    })
}
