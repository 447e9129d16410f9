import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'

/** An option of `parseArgs`, with its description in the help. */
export type CommandOptions = Readonly<Record<string, ParseArgsOptionDescriptor & { readonly says: string }>>

/**
 * Reads the command line of a script in `package.json`. With `--help`, prints the help and exits before the script starts
 * anything. An invalid option also makes it exit.
 */
export function readCommand<const T extends CommandOptions>(
  about: string,
  options: T,
  { args = process.argv.slice(2), operands }: { readonly args?: readonly string[]; readonly operands?: string } = {},
) {
  const name = process.env['npm_lifecycle_event'] ?? 'SCRIPT'
  if (args.includes('--help')) {
    console.log(formatHelp(name, about, options, operands))
    process.exit()
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: operands !== undefined })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nnpm run ${name} -- --help lists the options`)
    process.exit(1)
  }
}

export function formatHelp(name: string, about: string, options: CommandOptions, operands?: string): string {
  const rows = Object.entries(options).map(([option, { type, default: value, says }]): [string, string] => [
    type === 'boolean' ? `--${option}` : `--${option} <value>`,
    typeof value === 'string' && value !== '' ? `${says} (${value})` : says,
  ])
  const width = Math.max(0, ...rows.map(([option]) => option.length))
  const usage = ['Usage: npm run', name, ...(rows.length > 0 ? ['-- [options]'] : []), ...(operands ? [operands] : [])]
  const lines = rows.map(([option, says]) => `  ${option.padEnd(width)}  ${says}`)
  return [usage.join(' '), '', about, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')
}
