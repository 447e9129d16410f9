import { copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { isObject, parsed } from '../client/json.ts'
import { CliError } from './cli-error.ts'

/** Puts a snippet's servers and inputs into a file of JSON, and leaves the rest as it is, comments too. */
export async function mergeJson(file: string, snippet: string) {
  const before = await readText(file)
  const text = before === undefined || before.trim() === '' ? '{}' : before
  const errors: ParseError[] = []
  const options = { allowTrailingComma: true }
  const said: unknown = parse(text, errors, options)
  const [first] = errors
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length
    throw unreadable(file, `line ${line}: ${printParseErrorCode(first.error)}`)
  }
  if (!isObject(said)) throw unreadable(file, 'it is not an object')
  const wanted = parsed(snippet)
  if (!isObject(wanted)) throw new Error('The snippet is not an object')
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes('\r\n') ? '\r\n' : '\n' }
  const put = (whole: string, path: (string | number)[], value: unknown, isArrayInsertion = false) =>
    applyEdits(whole, modify(whole, path, value, { formattingOptions, isArrayInsertion }))
  let after = text
  for (const [section, value] of Object.entries(wanted)) {
    const there = said[section]
    if (Array.isArray(value)) {
      if (there !== undefined && !Array.isArray(there)) throw unreadable(file, `'${section}' is not a list`)
      const known: readonly unknown[] = there ?? []
      if (there === undefined) after = put(after, [section], [])
      for (const each of value.filter(isObject)) {
        const at = known.findIndex((one) => isObject(one) && one['id'] === each['id'])
        after = at < 0 ? put(after, [section, -1], each, true) : put(after, [section, at], each)
      }
    } else if (isObject(value)) {
      if (there !== undefined && !isObject(there)) throw unreadable(file, `'${section}' is not an object`)
      for (const [name, one] of Object.entries(value)) {
        const isSame = isObject(there) && JSON.stringify(there[name]) === JSON.stringify(one)
        if (!isSame) after = put(after, [section, name], one)
      }
    }
  }
  const isSame = before !== undefined && JSON.stringify(said) === JSON.stringify(parse(after, [], options))
  return { before, after: isSame ? before : after.endsWith('\n') ? after : `${after}\n` }
}

/** Appends a snippet to TOML. Nothing here reads TOML, so a file that may have that table is refused. */
export async function mergeToml(file: string, snippet: string) {
  const before = await readText(file)
  const text = (before ?? '').replaceAll('\r\n', '\n')
  if (text.includes(snippet)) return { before, after: before ?? '' }
  if (
    /^\s*(?:\[\s*)?["']?mcp_servers["']?\s*(?:=|\.\s*["']?switchboard\b|\]\s*(?:#.*)?\n[^[]*^\s*["']?switchboard\b)/m.test(
      text,
    )
  ) {
    throw unreadable(file, "it speaks of 'mcp_servers.switchboard' or 'mcp_servers' already: change it by hand")
  }
  // An open text at the end would swallow the table
  if ((text.split('"""').length - 1) % 2 === 1 || (text.split("'''").length - 1) % 2 === 1)
    throw unreadable(file, 'a text in it does not end')
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return { before, after: `${before ?? ''}${gap}${snippet}\n` }
}

/** Replaces a file as a whole, and gives the name of a backup of it. A link stays one. */
export async function writeKeeping(file: string, before: string | undefined, after: string) {
  await mkdir(dirname(file), { recursive: true })
  if (before === undefined) {
    await writeFile(file, after, { mode: 0o600, flag: 'wx' })
    return undefined
  }
  const place = await realpath(file)
  const { mode } = await stat(place)
  const backup = `${place}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.backup`
  await copyFile(place, backup)
  const next = `${place}.${process.pid}.new`
  await writeFile(next, after, { mode, flag: 'wx' })
  await rename(next, place)
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

function unreadable(file: string, why: string): CliError {
  return new CliError('refused', `${file} is left as it is: ${why}`)
}
