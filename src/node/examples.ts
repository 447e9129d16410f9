import { readFile } from 'node:fs/promises'

/** Generates a file of `src/generated`: the commands in the guide to the command line. */
export async function examplesFile(): Promise<readonly [name: string, text: string]> {
  const guide = await readFile(new URL('../docs/command-line.md', import.meta.url), 'utf8')
  const blocks = [...guide.matchAll(/^```(?:sh|bash)\n([^]+?)^```$/gm)].map(([, text = '']) => text)
  const examples = blocks.flatMap((text) => text.split('\n')).filter((line) => line.includes('switchboard '))
  return ['examples.ts', `export const EXAMPLES: readonly string[] = ${JSON.stringify(examples)}\n`]
}
