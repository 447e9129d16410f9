import { copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { isObject, tryParseJson } from '../client/json.ts'
import { CliError } from './cli-error.ts'

/** Adds a snippet's servers and inputs to a JSON file, leaving the rest unchanged, including comments. */
export async function mergeJson(file: string, snippet: string) {
  const before = await readText(file)
  const text = before === undefined || before.trim() === '' ? '{}' : before
  const errors: ParseError[] = []
  const options = { allowTrailingComma: true }
  const settings: unknown = parse(text, errors, options)
  const [first] = errors
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length
    throw toRefusal(file, `line ${line}: ${printParseErrorCode(first.error)}`)
  }
  if (!isObject(settings)) throw toRefusal(file, 'it is not an object')
  const additions = tryParseJson(snippet)
  if (!isObject(additions)) throw new Error('The snippet is not an object')
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes('\r\n') ? '\r\n' : '\n' }
  const setValue = (json: string, path: (string | number)[], value: unknown, isArrayInsertion = false) =>
    applyEdits(json, modify(json, path, value, { formattingOptions, isArrayInsertion }))
  let after = text
  for (const [section, value] of Object.entries(additions)) {
    const existing = settings[section]
    if (Array.isArray(value)) {
      if (existing !== undefined && !Array.isArray(existing)) throw toRefusal(file, `'${section}' is not a list`)
      const items: readonly unknown[] = existing ?? []
      if (existing === undefined) after = setValue(after, [section], [])
      for (const item of value.filter(isObject)) {
        const at = items.findIndex((candidate) => isObject(candidate) && candidate['id'] === item['id'])
        after = at < 0 ? setValue(after, [section, -1], item, true) : setValue(after, [section, at], item)
      }
    } else if (isObject(value)) {
      if (existing !== undefined && !isObject(existing)) throw toRefusal(file, `'${section}' is not an object`)
      for (const [name, entry] of Object.entries(value)) {
        const isSame = isObject(existing) && JSON.stringify(existing[name]) === JSON.stringify(entry)
        if (!isSame) after = setValue(after, [section, name], entry)
      }
    }
  }
  const isSame = before !== undefined && JSON.stringify(settings) === JSON.stringify(parse(after, [], options))
  return { before, after: isSame ? before : after.endsWith('\n') ? after : `${after}\n` }
}

/** Appends a snippet to TOML. There is no TOML parser here, so a file that may already have that table is refused. */
export async function mergeToml(file: string, snippet: string) {
  const before = await readText(file)
  const text = (before ?? '').replaceAll('\r\n', '\n')
  if (text.includes(snippet)) return { before, after: before ?? '' }
  if (
    /^\s*(?:\[\s*)?["']?mcp_servers["']?\s*(?:=|\.\s*["']?switchboard\b|\]\s*(?:#.*)?\n[^[]*^\s*["']?switchboard\b)/m.test(
      text,
    )
  ) {
    throw toRefusal(file, "it speaks of 'mcp_servers.switchboard' or 'mcp_servers' already: change it by hand")
  }
  // An unterminated string at the end would swallow the table
  if ((text.split('"""').length - 1) % 2 === 1 || (text.split("'''").length - 1) % 2 === 1)
    throw toRefusal(file, 'a text in it does not end')
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return { before, after: `${before ?? ''}${gap}${snippet}\n` }
}

/** Replaces a file and returns the name of its backup. A symbolic link remains a link. */
export async function writeWithBackup(file: string, before: string | undefined, after: string) {
  await mkdir(dirname(file), { recursive: true })
  if (before === undefined) {
    await writeFile(file, after, { mode: 0o600, flag: 'wx' })
    return undefined
  }
  const target = await realpath(file)
  const { mode } = await stat(target)
  const backup = `${target}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.backup`
  await copyFile(target, backup)
  const newFile = `${target}.${process.pid}.new`
  await writeFile(newFile, after, { mode, flag: 'wx' })
  await rename(newFile, target)
  return backup
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function toRefusal(file: string, reason: string): CliError {
  return new CliError('refused', `${file} is left as it is: ${reason}`)
}
