import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Prints at the end of a run which tests were skipped and why, and which files this run leaves out by design. */
export class LeftOut implements Reporter {
  readonly #files: Readonly<Record<string, string>>
  #vitest: Vitest | undefined

  /** `files` are left out by design, each with the reason. */
  constructor(files: Readonly<Record<string, string>>) {
    this.#files = files
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // If the command names files or tests, the others are of no interest
    const { filenamePattern }: { filenamePattern?: readonly string[] } = Object(this.#vitest)
    if (filenamePattern?.length || this.#vitest?.config.testNamePattern) return
    const titles = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(({ fullName }) => `${module.relativeModuleId} > ${fullName}`),
    )
    const lines = [...skippedLines(titles), ...fileLines(this.#files)]
    if (lines.length > 0) console.log(`${lines.join('\n')}\n`)
  }
}

/** Returns a line for each reason, written as "(skipped: …)" in a title. A test without a reason is a defect and is named. */
export function skippedLines(titles: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const title of titles) {
    const reason = /\(skipped: (.+?)\)/.exec(title)?.[1] ?? `for no reason that is stated: ${title}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => ` Skipped ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}`)
}

/** Lists each file with its reason, and the command that runs them all. */
export function fileLines(files: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(files)
  if (named.length === 0) return []
  return [
    ' Left out, with most of the random cases; `npm run test:full` has them:',
    ...named.map(([file, why]) => `   ${file} (${why})`),
  ]
}
